// Ending an action, and what it knows about the chain.
import {
  current_receiver, get_account_id, get_account_name_by_id, get_head_block_num, get_head_block_time, get_trx_origin,
  get_trx_sender, graphene_assert_code, graphene_assert_message, graphene_exit, printi, printn, printhex, prints_l,
  printui,
} from "./host";

/** Fails the whole transaction with this text unless the condition holds. */
export function check(condition: bool, text: string): void {
  if (!condition) {
    const bytes = String.UTF8.encode(text);
    graphene_assert_message(0, changetype<usize>(bytes), bytes.byteLength);
  }
}

/** The same with a number from the ABI's error messages. */
export function checkCode(condition: bool, code: u64): void {
  graphene_assert_code(condition ? 1 : 0, code);
}

/** Called by AssemblyScript for `assert`, bad indexes and the like. */
export function abort(text: string | null, file: string | null, line: u32, column: u32): void {
  check(false, text !== null ? text : "abort");
  unreachable();
}

/** Ends the action successfully; queued calls still run. */
export function exit(): void {
  graphene_exit(0);
}

/** Account of this contract. */
export function self(): u64 {
  return current_receiver();
}

/** Who calls: an account, or the contract that sent an inline call. */
export function sender(): u64 {
  return get_trx_sender();
}

/** The account that signed the call from which all this began. */
export function origin(): u64 {
  return get_trx_origin();
}

/** Seconds since 1970 of the newest block before the current one. */
export function now(): u32 {
  return <u32>get_head_block_time();
}

export function headBlock(): u32 {
  return <u32>get_head_block_num();
}

/** -1 if there is no such account. */
export function findAccount(name: string): i64 {
  const bytes = String.UTF8.encode(name);
  return get_account_id(changetype<usize>(bytes), bytes.byteLength);
}

export function accountId(name: string): u64 {
  const id = findAccount(name);
  check(id >= 0, "account " + name + " not found");
  return <u64>id;
}

/** Empty if there is no such account. */
export function accountName(id: u64): string {
  const room = new Uint8Array(64);
  if (get_account_name_by_id(room.dataStart, room.length, id) != 0) return "";
  return String.UTF8.decodeUnsafe(room.dataStart, room.length, true);
}

// What a contract prints is in the log of a development chain and in its explorer, in the log of other nodes with the
// option contracts-console, and in what `trustnode contract profile` says.

export function print(text: string): void {
  const bytes = String.UTF8.encode(text);
  prints_l(changetype<usize>(bytes), bytes.byteLength);
}

export function printNumber(value: i64): void {
  printi(value);
}

export function printUnsigned(value: u64): void {
  printui(value);
}

export function printName(value: u64): void {
  printn(value);
}

export function printHex(data: Uint8Array): void {
  printhex(data.dataStart, data.length);
}
