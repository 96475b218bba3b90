// What a client in C does, by libmpdclient: every group of its functions, in the queue of a server with four songs.
#include <assert.h>
#include <mpd/client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mpd_connection *connection;

// Ends the program unless that is so.
static void check(bool is, const char *what) {
  if (is) return;
  bool said = mpd_connection_get_error(connection) != MPD_ERROR_SUCCESS;
  fprintf(stderr, "%s: %s\n", what, said ? mpd_connection_get_error_message(connection) : "no");
  exit(1);
}
#define STRING(x) #x
#define LINE(x) STRING(x)
#define CHECK(expression) check(expression, "line " LINE(__LINE__) ": " #expression)

static unsigned songs(void) {
  unsigned count = 0;
  struct mpd_song *song;
  while ((song = mpd_recv_song(connection))) {
    CHECK(mpd_song_get_uri(song));
    mpd_song_free(song);
    count++;
  }
  CHECK(mpd_response_finish(connection));
  return count;
}

static struct mpd_status *status(void) {
  struct mpd_status *status = mpd_run_status(connection);
  check(status, "status");
  return status;
}

int main(int argc, char **argv) {
  connection = mpd_connection_new(argv[1], 0, 10000);
  check(mpd_connection_get_error(connection) == MPD_ERROR_SUCCESS, "connect");
  CHECK(mpd_connection_cmp_server_version(connection, 0, 23, 0) >= 0);

  // The library.
  CHECK(mpd_search_db_songs(connection, true) &&
        mpd_search_add_tag_constraint(connection, MPD_OPERATOR_DEFAULT, MPD_TAG_ARTIST, "Artist A") &&
        mpd_search_commit(connection));
  CHECK(songs() == 1);
  CHECK(mpd_search_db_tags(connection, MPD_TAG_ALBUM) && mpd_search_commit(connection));
  unsigned albums = 0;
  struct mpd_pair *pair;
  while ((pair = mpd_recv_pair_tag(connection, MPD_TAG_ALBUM))) {
    mpd_return_pair(connection, pair);
    albums++;
  }
  CHECK(mpd_response_finish(connection) && albums >= 1);
  CHECK(mpd_search_add_db_songs(connection, true) &&
        mpd_search_add_expression(connection, "((album == 'Album X') AND (title contains 'Song'))") &&
        mpd_search_commit(connection) && mpd_response_finish(connection));
  CHECK(mpd_send_list_meta(connection, ""));
  unsigned entities = 0;
  struct mpd_entity *entity;
  while ((entity = mpd_recv_entity(connection))) {
    mpd_entity_free(entity);
    entities++;
  }
  CHECK(mpd_response_finish(connection) && entities >= 4);
  struct mpd_stats *stats = mpd_run_stats(connection);
  CHECK(stats && mpd_stats_get_number_of_songs(stats) == 4);
  mpd_stats_free(stats);

  // The queue.
  int id = mpd_run_add_id(connection, "sub/c.mp3");
  CHECK(id > 0);
  CHECK(mpd_run_move_id(connection, id, 0));
  CHECK(mpd_run_prio_id(connection, 5, id));
  CHECK(mpd_send_list_queue_meta(connection));
  CHECK(songs() == 3);
  CHECK(mpd_send_list_queue_range_meta(connection, 0, 1));
  CHECK(songs() == 1);
  CHECK(mpd_command_list_begin(connection, true) && mpd_send_random(connection, false) &&
        mpd_send_repeat(connection, true) && mpd_send_single_state(connection, MPD_SINGLE_ONESHOT) &&
        mpd_send_status(connection) && mpd_command_list_end(connection));
  for (int i = 0; i < 3; i++) CHECK(mpd_response_next(connection));
  struct mpd_status *now = mpd_recv_status(connection);
  CHECK(now && mpd_status_get_repeat(now) && mpd_status_get_single_state(now) == MPD_SINGLE_ONESHOT);
  CHECK(mpd_status_get_queue_length(now) == 3);
  mpd_status_free(now);
  CHECK(mpd_response_finish(connection));
  CHECK(mpd_run_single(connection, false));

  // Playing.
  CHECK(mpd_run_play_pos(connection, 1));
  CHECK(mpd_run_seek_current(connection, 5, false));
  CHECK(mpd_run_set_volume(connection, 40));
  now = status();
  CHECK(mpd_status_get_song_pos(now) == 1 && mpd_status_get_elapsed_ms(now) >= 5000);
  CHECK(mpd_status_get_total_time(now) == 40);
  mpd_status_free(now);
  CHECK(mpd_run_get_volume(connection) == 40);
  struct mpd_song *song = mpd_run_current_song(connection);
  CHECK(song && !strcmp(mpd_song_get_tag(song, MPD_TAG_TITLE, 0), "Song A"));
  CHECK(mpd_song_get_duration_ms(song) / 100 == 400);
  mpd_song_free(song);
  CHECK(mpd_run_replay_gain_mode(connection, MPD_REPLAY_ALBUM));
  CHECK(mpd_run_replay_gain_status(connection) == MPD_REPLAY_ALBUM);
  CHECK(mpd_run_pause(connection, true));
  CHECK(mpd_send_outputs(connection));
  struct mpd_output *output = mpd_recv_output(connection);
  CHECK(output && mpd_output_get_enabled(output));
  mpd_output_free(output);
  CHECK(mpd_response_finish(connection));

  // Playlists, stickers, pictures.
  CHECK(mpd_run_save(connection, "in C"));
  CHECK(mpd_send_list_playlist_meta(connection, "in C"));
  CHECK(songs() == 3);
  CHECK(mpd_run_playlist_delete(connection, "in C", 0) && mpd_run_rename(connection, "in C", "C"));
  CHECK(mpd_run_load(connection, "C") && mpd_run_rm(connection, "C"));
  CHECK(mpd_run_sticker_set(connection, "song", "a.mp3", "rating", "7"));
  CHECK(mpd_send_sticker_get(connection, "song", "a.mp3", "rating"));
  pair = mpd_recv_sticker(connection);
  CHECK(pair && !strcmp(pair->name, "rating") && !strcmp(pair->value, "7"));
  mpd_return_sticker(connection, pair);
  CHECK(mpd_response_finish(connection));
  char picture[8192];
  CHECK(mpd_run_readpicture(connection, "b.mp3", 0, picture, sizeof picture) > 0);

  // What is refused, and that the connection goes on.
  CHECK(!mpd_run_play_pos(connection, 99));
  CHECK(mpd_connection_get_error(connection) == MPD_ERROR_SERVER &&
        mpd_connection_get_server_error(connection) == MPD_SERVER_ERROR_ARG);
  CHECK(mpd_connection_clear_error(connection));
  CHECK(mpd_run_clear(connection));

  // Idle, with another connection that changes something.
  CHECK(mpd_send_idle_mask(connection, MPD_IDLE_MIXER));
  struct mpd_connection *other = mpd_connection_new(argv[1], 0, 10000);
  assert(other && mpd_run_set_volume(other, 60));
  mpd_connection_free(other);
  CHECK(mpd_recv_idle(connection, true) == MPD_IDLE_MIXER);
  mpd_connection_free(connection);
  puts("all is well");
  return 0;
}
