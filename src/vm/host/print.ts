import { toHex } from '../../base/bytes.js';
import { nameToText } from '../../protocol/name.js';
import { FLOAT32, FLOAT64, FLOAT128, formatFloat, roundPrecision } from '../softfloat.js';
import { bytesCost, host } from './define.js';

export const PRINT_FUNCTIONS = [
  host('prints', 'Z >', 80, (call, pointer: number) => {
    const bytes = call.memory.text(pointer);
    call.charge(bytesCost(bytes.length, 4));
    call.print(bytes);
  }),
  host('prints_l', 'P >', 40, (call, pointer: number, length: number) => {
    call.charge(bytesCost(length, 4));
    call.print(call.memory.slice(pointer, length));
  }),
  host('printi', 'I >', 20, (call, value: bigint) => call.print(value.toString())),
  host('printui', 'I >', 20, (call, value: bigint) => call.print(BigInt.asUintN(64, value).toString())),
  host('printi128', 'R16 >', 40, (call, pointer: number) =>
    call.print(BigInt.asIntN(128, call.memory.readU128(pointer)).toString()),
  ),
  host('printui128', 'R16 >', 40, (call, pointer: number) => call.print(call.memory.readU128(pointer).toString())),
  host('printsf', 'f >', 500, (call, bits: number) => call.print(formatFloat(FLOAT32, BigInt(bits >>> 0), 6))),
  host('printdf', 'F >', 2000, (call, bits: bigint) => call.print(formatFloat(FLOAT64, BigInt.asUintN(64, bits), 15))),
  // The exponents of 128-bit floats make decimal numbers of thousands of digits on the way.
  host('printqf', 'R16 >', 100_000, (call, pointer: number) =>
    call.print(formatFloat(FLOAT128, roundPrecision(FLOAT128, call.memory.readU128(pointer), 64n), 18)),
  ),
  host('printn', 'I >', 180, (call, value: bigint) => call.print(nameToText(BigInt.asUintN(64, value)))),
  host('printhex', 'P >', 80, (call, pointer: number, length: number) => {
    call.charge(bytesCost(length, 2));
    call.settle();
    call.print(toHex(call.memory.slice(pointer, length).subarray(0, 65_536)));
  }),
];
