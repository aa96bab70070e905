import type { Operation } from './machine.js';

/** Loads and stores, by opcode; floats are moved by their bits, like integers of their width. */

const load32: Operation = (m, offset) => m.setI32(m.linearMemory.view.getInt32(m.address(offset, 4), true));

const load64: Operation = (m, offset) => {
  const at = m.address(offset, 8);
  m.setHalves(m.linearMemory.view.getInt32(at, true), m.linearMemory.view.getInt32(at + 4, true));
};

const store8: Operation = (m, offset) => m.linearMemory.view.setInt8(m.takeAddress(offset, 1), m.storedLow());
const store16: Operation = (m, offset) => m.linearMemory.view.setInt16(m.takeAddress(offset, 2), m.storedLow(), true);
const store32: Operation = (m, offset) => m.linearMemory.view.setInt32(m.takeAddress(offset, 4), m.storedLow(), true);

const store64: Operation = (m, offset) => {
  const at = m.takeAddress(offset, 8);
  m.linearMemory.view.setInt32(at, m.storedLow(), true);
  m.linearMemory.view.setInt32(at + 4, m.storedHigh(), true);
};

export const ACCESS_OPERATIONS: Readonly<Record<number, Operation>> = {
  40: load32,
  41: load64,
  42: load32,
  43: load64,
  44: (m, offset) => m.setI32(m.linearMemory.view.getInt8(m.address(offset, 1))),
  45: (m, offset) => m.setI32(m.linearMemory.view.getUint8(m.address(offset, 1))),
  46: (m, offset) => m.setI32(m.linearMemory.view.getInt16(m.address(offset, 2), true)),
  47: (m, offset) => m.setI32(m.linearMemory.view.getUint16(m.address(offset, 2), true)),
  48: (m, offset) => m.setSigned(m.linearMemory.view.getInt8(m.address(offset, 1))),
  49: (m, offset) => m.setHalves(m.linearMemory.view.getUint8(m.address(offset, 1)), 0),
  50: (m, offset) => m.setSigned(m.linearMemory.view.getInt16(m.address(offset, 2), true)),
  51: (m, offset) => m.setHalves(m.linearMemory.view.getUint16(m.address(offset, 2), true), 0),
  52: (m, offset) => m.setSigned(m.linearMemory.view.getInt32(m.address(offset, 4), true)),
  53: (m, offset) => m.setHalves(m.linearMemory.view.getInt32(m.address(offset, 4), true), 0),
  54: store32,
  55: store64,
  56: store32,
  57: store64,
  58: store8,
  59: store16,
  60: store8,
  61: store16,
  62: store32,
};
