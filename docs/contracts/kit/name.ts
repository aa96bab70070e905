// Base-32 names of actions and tables: 12 symbols of 5 bits and one of 4.
import { check } from "./system";

function symbolValue(code: i32): u64 {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 6;
  if (code >= 0x31 && code <= 0x35) return code - 0x31 + 1;
  check(code == 0x2e, "a name has a-z, 1-5 and dots only");
  return 0;
}

export function name(text: string): u64 {
  const length = text.length;
  check(length <= 13, "a name has at most 13 characters");
  let value: u64 = 0;
  for (let i = 0; i < 12; i++) value = (value << 5) | (i < length ? symbolValue(text.charCodeAt(i)) : 0);
  return (value << 4) | (length > 12 ? symbolValue(text.charCodeAt(12)) & 0x0f : 0);
}

export function nameText(value: u64): string {
  const symbols = ".12345abcdefghijklmnopqrstuvwxyz";
  let text = symbols.charAt(<i32>(value & 0x0f));
  let rest = value >> 4;
  for (let i = 0; i < 12; i++) {
    text = symbols.charAt(<i32>(rest & 0x1f)) + text;
    rest >>= 5;
  }
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) == ".") end--;
  return text.substring(0, end);
}
