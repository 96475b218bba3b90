import Foundation
import PulseTestSupport
import Testing

extension ClientTests {
  /// python-mpd2, which reads every line strictly: blocking, and asynchronous as home automation uses it.
  @Suite struct PythonTests {
    private func run(_ program: String) async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let path = "\(hall.folder)/program.py"
      try Data(program.utf8).write(to: URL(fileURLWithPath: path))
      // Debian's, which has the module; another python may come first in PATH.
      let answer = try await hall.run(
        ["/usr/bin/python3", "-X", "faulthandler", path, socket, "\(hall.folder)/picture.png"], limit: 250)
      #expect(answer.status == 0, "\(answer)")
      #expect(answer.text == "done\n", "\(answer)")
    }

    @Test func blockingClientHasAConversation() async throws {
      try await run(
        #"""
        import sys, threading, time, mpd
        from mpd.base import FailureResponseCode

        def client():
            result = mpd.MPDClient()
            result.timeout = 60
            result.connect(sys.argv[1])
            return result

        def refused(code, call, *arguments):
            try:
                call(*arguments)
            except mpd.CommandError as error:
                assert error.errno == code, (error, error.errno)
                return str(error)
            assert False, (call, arguments)

        def tagged():
            while any("time" not in song for song in c.playlistinfo()):
                c.idle("playlist")

        c, other = client(), client()
        assert c.mpd_version == "0.23.5"
        for name in ["idle", "status", "addid", "readpicture", "home", "watch"]:
            assert name in c.commands(), name
        assert c.notcommands() == []
        assert c.status()["state"] == "stop" and c.playlistinfo() == [] and c.currentsong() == {}
        c.add("a.mp3")
        second = c.addid("b.mp3")
        first_of_all = c.addid("sub/c.mp3", 0)
        assert c.playlist() == ["file: sub/c.mp3", "file: a.mp3", "file: b.mp3"], c.playlist()
        tagged()
        songs = c.playlistinfo()
        assert [s["file"] for s in songs] == ["sub/c.mp3", "a.mp3", "b.mp3"]
        assert songs[1]["title"] == "Song A" and songs[1]["time"] == "40" and songs[2]["id"] == second
        assert c.playlistid(second)[0]["title"] == "Song B"
        assert [s["file"] for s in c.playlistinfo((1, 3))] == ["a.mp3", "b.mp3"]
        c.moveid(first_of_all, 2)
        assert [s["pos"] for s in c.playlistfind("title", "Song A")] == ["0"]
        assert [s["title"] for s in c.playlistsearch("title", "song")] == ["Song A", "Song B"]
        version = c.status()["playlist"]
        c.swap(0, 1)
        assert [x["cpos"] for x in c.plchangesposid(version)] == ["0", "1"]
        assert [x["file"] for x in c.plchanges(version)] == ["b.mp3", "a.mp3"]
        c.swap(0, 1)

        c.play(0)
        # It is "pause" as long as no sound comes, on a busy machine.
        while c.status()["state"] != "play":
            time.sleep(0.01)
        assert c.currentsong()["title"] == "Song A"
        c.pause(1)
        assert c.status()["state"] == "pause"
        c.seekcur(12.5)
        assert c.status()["elapsed"] == "12.500"
        c.seekcur("-2.5")
        assert c.status()["elapsed"] == "10.000"
        c.pause(0)
        c.next()
        assert c.currentsong()["title"] == "Song B"
        c.previous()
        c.setvol(44)
        c.volume("+1")
        assert c.status()["volume"] == "45"
        for mode in ["repeat", "random", "consume"]:
            getattr(c, mode)(1)
            assert c.status()[mode] == "1"
            getattr(c, mode)(0)
        c.single("oneshot")
        assert c.status()["single"] == "oneshot"
        c.single(0)
        assert c.outputs()[0]["outputenabled"] == "1"
        assert c.tagtypes() and c.decoders() and c.urlhandlers() == ["file://", "http://", "https://"]
        assert int(c.stats()["uptime"]) >= 0 and c.replay_gain_status()
        assert [x.get("directory") or x.get("file") or x.get("playlist") for x in c.lsinfo()][:2] == ["a.mp3", "b.mp3"]
        assert c.listplaylist("list.m3u") == ["a.mp3", "sub/c.mp3"]
        assert [x["artist"] for x in c.list("artist")] == ["", "Artist A", "Artist B"], c.list("artist")
        assert [x["title"] for x in c.search("any", "song")] == ["Song A", "Song B"], c.search("any", "song")
        assert c.count("artist", "Artist A")["songs"] == "1" and c.stats()["songs"] == "4"
        assert int(c.update()) > 1

        picture = open(sys.argv[2], "rb").read()
        answer = c.readpicture("b.mp3")
        assert answer["binary"] == picture and answer["type"] == "image/png", answer.keys()
        c.add_command("binarylimit", mpd.MPDClient._parse_nothing)
        c.binarylimit(100)
        assert c.readpicture("b.mp3")["binary"] == picture
        assert c.readpicture("a.mp3") == {}

        assert "No such song" in refused(FailureResponseCode.NO_EXIST, c.addid, "missing.mp3")
        refused(FailureResponseCode.ARG, c.play, 99)
        refused(FailureResponseCode.NO_EXIST, c.deleteid, 999)
        refused(FailureResponseCode.ARG, c.setvol, 101)
        refused(FailureResponseCode.ARG, c.update, "../x")
        c.save("x")
        refused(FailureResponseCode.EXIST, c.save, "x")
        assert c.listplaylist("x") == [s["file"] for s in c.playlistinfo()]
        c.rm("x")
        refused(FailureResponseCode.NO_EXIST, c.rm, "x")
        c.stop()
        refused(FailureResponseCode.PLAYER_SYNC, c.next)

        c.command_list_ok_begin()
        c.clear()
        c.add("a.mp3")
        c.status()
        c.playlistinfo()
        answers = c.command_list_end()
        assert answers[2]["playlistlength"] == "1" and answers[3][0]["file"] == "a.mp3", answers
        c.command_list_ok_begin()
        c.setvol(10)
        c.play(99)
        c.setvol(20)
        assert "[2@1] {play}" in refused(FailureResponseCode.ARG, c.command_list_end)
        assert c.status()["volume"] == "10"

        c.subscribe("one")
        other.sendmessage("one", "hello \"there\"")
        assert c.readmessages() == [{"channel": "one", "message": "hello \"there\""}]
        assert c.channels() == ["one"]

        other.idle("mixer")
        waited = []
        waiter = threading.Thread(target=lambda: waited.extend(other.idle("mixer")))
        waiter.start()
        c.setvol(30)
        waiter.join(20)
        assert waited == ["mixer"], waited
        other.repeat(1)
        assert "options" in c.idle("options")

        c.add_command("home", mpd.MPDClient._parse_nothing)
        c.add_command("foreground", mpd.MPDClient._parse_nothing)
        c.add_command("lifecycle", mpd.MPDClient._parse_object)
        c.home()
        assert c.lifecycle()["application"] in ("background", "suspended")
        c.foreground()
        assert c.lifecycle()["application"] == "active"
        c.ping()
        c.close()
        c.disconnect()
        print("done")
        """#)
    }

    @Test func asynchronousClientHasAConversation() async throws {
      try await run(
        #"""
        import asyncio, sys, mpd
        from mpd.asyncio import MPDClient

        # A command that is asked for in the turn in which this time is over is written before "idle" and read behind it
        # (python-mpd2 3.0.5): 0.1 s is over whenever the machine is busy.
        MPDClient.IMMEDIATE_COMMAND_TIMEOUT = 1

        async def main():
            client = MPDClient()
            await client.connect(sys.argv[1])
            assert client.mpd_version == "0.23.5"
            seen = []

            async def listen():
                async for names in client.idle(["player", "mixer", "playlist"]):
                    seen.append(names)
            listener = asyncio.create_task(listen())
            other = MPDClient()
            await other.connect(sys.argv[1])

            async def until(name):
                while not any(name in names for names in seen):
                    await asyncio.sleep(0.01)
            await client.add("a.mp3")
            await other.add("b.mp3")
            await until("playlist")
            blocking = mpd.MPDClient()
            blocking.connect(sys.argv[1])
            while any("time" not in song for song in blocking.playlistinfo()):
                await asyncio.sleep(0.01)
            blocking.disconnect()
            assert [s["title"] for s in await client.playlistinfo()] == ["Song A", "Song B"]
            await other.setvol(33)
            await until("mixer")
            await client.play(1)
            await until("player")
            assert (await client.currentsong())["title"] == "Song B"
            assert (await client.status())["volume"] == "33"
            # Many at once, between which the client leaves its idle and returns to it.
            answers = await asyncio.gather(*[client.status() for _ in range(50)])
            assert all(a["playlistlength"] == "2" for a in answers)
            picture = open(sys.argv[2], "rb").read()
            assert (await client.readpicture("b.mp3"))["binary"] == picture
            try:
                await client.play(99)
                assert False
            except mpd.CommandError as error:
                assert "Bad song index" in str(error)
            assert "idle" in await client.commands()
            listener.cancel()
            client.disconnect()
            other.disconnect()
            print("done")

        asyncio.run(asyncio.wait_for(main(), 240))
        """#)
    }
  }
}
