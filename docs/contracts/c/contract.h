// The kit for contracts in C: host functions, names, arguments, tables. Everything is in this one header.
// Build with build.sh.
#ifndef TRUSTNODE_CONTRACT_H
#define TRUSTNODE_CONTRACT_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;

// ---- host functions; their rules are in ../reference.md ----

// action
extern u32 action_data_size(void);
extern u32 read_action_data(void *to, u32 length);
extern u64 current_receiver(void);
extern u64 get_action_asset_id(void);
extern i64 get_action_asset_amount(void);
extern void send_inline(const void *action, u32 length);

// transaction
extern u32 transaction_size(void);
extern u32 read_transaction(void *to, u32 length);
extern i64 expiration(void);
extern u32 tapos_block_num(void);
extern i64 tapos_block_prefix(void);

// chain, accounts, assets
extern i64 get_head_block_num(void);
extern void get_head_block_id(u8 to[20]);
extern i64 get_head_block_time(void);
extern void get_block_id_for_num(u8 to[20], u32 num);
extern u64 get_trx_sender(void);
extern u64 get_trx_origin(void);
extern i64 get_account_id(const char *name, u32 length);
extern i64 get_account_name_by_id(char *to, u32 length, i64 account);
extern i64 get_asset_id(const char *symbol, u32 length);
extern i64 get_asset_precision(const char *symbol, u32 length);
extern i64 get_balance(i64 account, i64 asset);
extern void withdraw_asset(i64 from, i64 to, i64 asset, i64 amount);
extern void inline_transfer(i64 from, i64 to, i64 asset, i64 amount, const char *memo, u32 length);

// crypto
extern void sha1(const void *data, u32 length, u8 to[20]);
extern void ripemd160(const void *data, u32 length, u8 to[20]);
extern void sha256(const void *data, u32 length, u8 to[32]);
extern void sha512(const void *data, u32 length, u8 to[64]);
extern void assert_sha1(const void *data, u32 length, const u8 hash[20]);
extern void assert_ripemd160(const void *data, u32 length, const u8 hash[20]);
extern void assert_sha256(const void *data, u32 length, const u8 hash[32]);
extern void assert_sha512(const void *data, u32 length, const u8 hash[64]);
extern void assert_recover_key(const u8 digest[32], const u8 signature[65], const void *key, u32 length);

// system
extern void abort(void);
extern void graphene_assert(u32 condition, const char *text);
extern void graphene_assert_message(u32 condition, const char *text, u32 length);
extern void graphene_assert_code(u32 condition, u64 code);
extern void graphene_exit(i32 code);

// memory
extern void *memcpy(void *to, const void *from, u32 length);
extern void *memmove(void *to, const void *from, u32 length);
extern void *memset(void *to, i32 value, u32 length);
extern i32 memcmp(const void *a, const void *b, u32 length);

// console
extern void prints(const char *text);
extern void prints_l(const char *text, u32 length);
extern void printi(i64 value);
extern void printui(u64 value);
extern void printn(u64 name);
extern void printhex(const void *data, u32 length);

// tables by primary key
extern i32 db_store_i64(u64 scope, u64 table, u64 payer, u64 id, const void *data, u32 length);
extern void db_update_i64(i32 iterator, u64 payer, const void *data, u32 length);
extern void db_remove_i64(i32 iterator);
extern u32 db_get_i64(i32 iterator, void *to, u32 length);
extern i32 db_next_i64(i32 iterator, u64 *id);
extern i32 db_previous_i64(i32 iterator, u64 *id);
extern i32 db_find_i64(u64 code, u64 scope, u64 table, u64 id);
extern i32 db_lowerbound_i64(u64 code, u64 scope, u64 table, u64 id);
extern i32 db_upperbound_i64(u64 code, u64 scope, u64 table, u64 id);
extern i32 db_end_i64(u64 code, u64 scope, u64 table);

// tables by secondary key
extern i32 db_idx64_store(u64 scope, u64 table, u64 payer, u64 id, const u64 *key);
extern void db_idx64_update(i32 iterator, u64 payer, const u64 *key);
extern void db_idx64_remove(i32 iterator);
extern i32 db_idx64_find_secondary(u64 code, u64 scope, u64 table, const u64 *key, u64 *id);
extern i32 db_idx64_find_primary(u64 code, u64 scope, u64 table, u64 *key, u64 id);
extern i32 db_idx64_lowerbound(u64 code, u64 scope, u64 table, u64 *key, u64 *id);
extern i32 db_idx64_upperbound(u64 code, u64 scope, u64 table, u64 *key, u64 *id);
extern i32 db_idx64_end(u64 code, u64 scope, u64 table);
extern i32 db_idx64_next(i32 iterator, u64 *id);
extern i32 db_idx64_previous(i32 iterator, u64 *id);

// ---- names of actions and tables: folded to a number by the compiler ----

static inline __attribute__((always_inline)) u64 name_symbol(char c) {
  return c >= 'a' && c <= 'z' ? (u64)(c - 'a' + 6) : c >= '1' && c <= '5' ? (u64)(c - '1' + 1) : 0;
}

static inline __attribute__((always_inline)) u64 name(const char *text) {
  u64 value = 0;
  u32 at = 0;
#pragma unroll
  for (u32 i = 0; i < 12; i++) {
    value <<= 5;
    if (text[at] != 0) value |= name_symbol(text[at++]);
  }
  return value << 4 | (text[at] != 0 ? name_symbol(text[at]) & 15 : 0);
}

static inline void check(u32 condition, const char *text) { graphene_assert(condition, text); }

// ---- arguments and rows: little-endian numbers, texts with their length in front ----

typedef struct {
  u8 *at;
  u8 *end;
} bytes_t;

/** The arguments of the action, in a buffer of the caller's. */
static inline bytes_t action_data(void *buffer, u32 capacity) {
  u32 size = action_data_size();
  check(size <= capacity, "the arguments are too long");
  read_action_data(buffer, size);
  return (bytes_t){(u8 *)buffer, (u8 *)buffer + size};
}

static inline u8 *take(bytes_t *bytes, u32 count) {
  check((u32)(bytes->end - bytes->at) >= count, "read");
  u8 *from = bytes->at;
  bytes->at += count;
  return from;
}

static inline u8 read_u8(bytes_t *bytes) { return *take(bytes, 1); }
static inline u32 read_u32(bytes_t *bytes) { u32 v; __builtin_memcpy(&v, take(bytes, 4), 4); return v; }
static inline u64 read_u64(bytes_t *bytes) { u64 v; __builtin_memcpy(&v, take(bytes, 8), 8); return v; }

static inline u32 read_length(bytes_t *bytes) {
  u32 value = 0;
  for (u32 shift = 0; shift < 35; shift += 7) {
    u8 byte = read_u8(bytes);
    value |= (u32)(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

typedef struct {
  const char *text;
  u32 length;
} string_t;

/** Points into the buffer; there is no NUL at the end. */
static inline string_t read_string(bytes_t *bytes) {
  u32 length = read_length(bytes);
  return (string_t){(const char *)take(bytes, length), length};
}

#endif
