// Counts for everybody who calls, in a table with one row per account, and says hello.
#include "contract.h"

struct __attribute__((packed)) count {
  u64 owner;
  u64 value;
};

static void hi(bytes_t *args) {
  string_t user = read_string(args);
  prints("hi, ");
  prints_l(user.text, user.length);
  prints("\n");
}

static void add(bytes_t *args) {
  u64 step = read_u64(args);
  u64 me = current_receiver();
  u64 caller = get_trx_sender();
  check(step > 0 && step <= 1000, "count in steps from 1 to 1000");
  struct count row = {caller, step};
  i32 it = db_find_i64(me, me, name("count"), caller);
  if (it < 0) {
    db_store_i64(me, name("count"), caller, caller, &row, sizeof row);
    return;
  }
  db_get_i64(it, &row, sizeof row);
  row.value += step;
  db_update_i64(it, caller, &row, sizeof row);
}

static void reset(void) {
  u64 me = current_receiver();
  i32 it = db_find_i64(me, me, name("count"), get_trx_sender());
  check(it >= 0, "you have counted nothing");
  db_remove_i64(it);
}

void apply(u64 receiver, u64 code, u64 action) {
  u8 buffer[1024];
  bytes_t args = action_data(buffer, sizeof buffer);
  if (action == name("hi")) hi(&args);
  else if (action == name("add")) add(&args);
  else if (action == name("reset")) reset();
}
