#!/usr/bin/env python3
"""Turns a score (README.md, one folder up, explains the notation) into a standard MIDI file: score.py IN.score OUT.mid"""
import random, re, struct, sys

TICKS = 480  # per beat


def curve(text):
    """'0=60 8=90': a function of the beat, straight lines between the points."""
    points = sorted((float(b), float(v)) for b, v in (p.split("=") for p in text.split()))

    def value(beat):
        before = [p for p in points if p[0] <= beat] or points[:1]
        after = [p for p in points if p[0] > beat] or points[-1:]
        (b0, v0), (b1, v1) = before[-1], after[0]
        return v0 if b1 <= b0 else v0 + (v1 - v0) * (beat - b0) / (b1 - b0)

    return value


def pitch(name):
    letter, accidental, octave = re.fullmatch(r"([a-g])([b#]?)(\d)", name).groups()
    return "c d ef g a b".index(letter) + {"": 0, "#": 1, "b": -1}[accidental] + 12 * (int(octave) + 1)


def notes(text):
    """(start, length, pitches, mark) of each note; lengths in beats, kept until the next one is given."""
    text = re.sub(r"\*(\d+) \[([^]]*)\]", lambda m: int(m[1]) * (m[2] + " "), text.replace("|", " "))
    beat, length = 0.0, 1.0
    for token in text.split():
        name, mark, given = re.fullmatch(r"([^:'^]+)(['^]?)(?::([\d.]+))?", token).groups()
        length = float(given or length)
        if name != "r":
            yield beat, length, [pitch(p) for p in name.split("+")], mark
        beat += length


def number(n):  # MIDI's variable-length quantity
    out = [n & 127]
    while n := n >> 7:
        out.insert(0, n & 127 | 128)
    return bytes(out)


def track(events):
    data, last = b"", 0
    for tick, _, message in sorted(events):
        data, last = data + number(tick - last) + message, tick
    data += b"\x00\xff\x2f\x00"
    return b"MTrk" + struct.pack(">I", len(data)) + data


def part(channel, options, loud, text):
    human = random.Random(channel)  # a player's small unevenness, the same in every run
    shift, spread = int(options.get("octave", 0)) * 12, float(options.get("roll", 0))
    events = [(0, 0, bytes([0xC0 | channel, int(options["program"])]))]
    for controller, name in ((7, "volume"), (10, "pan"), (91, "reverb")):
        events.append((0, 1, bytes([0xB0 | channel, controller, int(options[name])])))
    end = 0.0
    for beat, length, pitches, mark in notes(text):
        end = beat + length
        # Held sounds take their loudness from the swell (controller 11) alone, the others from the touch.
        velocity = (98 if "swells" in options else loud(beat)) + {"^": 14, "'": -4, "": 0}[mark] + human.uniform(-3, 3)
        for i, p in enumerate(pitches):
            start = max(0, round((beat + i * spread + human.uniform(0, 0.012)) * TICKS))
            stop = round((beat + length * (0.55 if mark == "'" else float(options.get("hold", 0.97)))) * TICKS)
            events.append((start, 3, bytes([0x90 | channel, p + shift, max(1, min(127, round(velocity)))])))
            events.append((max(stop, start + 20), 2, bytes([0x80 | channel, p + shift, 0])))
    if "swells" in options:
        for step in range(int(end * 8)):
            events.append((step * TICKS // 8, 1, bytes([0xB0 | channel, 11, min(127, round(loud(step / 8)))])))
    return track(events), end


def main(source, target):
    tempo, parts = "0=120", []
    for line in open(source, encoding="utf-8"):
        line = line.split("//")[0].strip()
        word, _, rest = line.partition(" ")
        if word == "tempo":
            tempo = rest
        elif word == "part":
            parts.append([dict(o.split("=") for o in rest.split()[1:]), "0=80", ""])
        elif word == "loud":
            parts[-1][1] = rest
        elif line:
            parts[-1][2] += line + " "
    made = [part(c + (c > 8), o, curve(l), t) for c, (o, l, t) in enumerate(parts)]  # channel 9 is drums
    speed = curve(tempo)
    tempos = [(int(b * TICKS / 4), 0, b"\xff\x51\x03" + struct.pack(">I", round(6e7 / speed(b / 4)))[1:])
              for b in range(int(4 * max(end for _, end in made)))]
    with open(target, "wb") as out:
        out.write(b"MThd" + struct.pack(">IHHH", 6, 1, len(made) + 1, TICKS) + track(tempos))
        out.write(b"".join(t for t, _ in made))


main(*sys.argv[1:])
