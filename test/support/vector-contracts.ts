import { parseJson } from '../../src/codec/json.js';
import { abiDef } from '../../src/protocol/abi.js';
import { contractFile } from './contract-world.js';
import { type Contract, deployContract } from './example-contracts.js';
import type { TestWorld } from './world.js';

/** Contracts of the vectors: `hello`, `bank`, `lab`. */
export function vectorContract(name: string): Contract {
  return {
    code: contractFile(`${name}.wasm`),
    abi: abiDef.fromJson(parseJson(new TextDecoder().decode(contractFile(`${name}.abi`)))),
  };
}

/** In a block of its own; it belongs to alice. */
export function deployVector(w: TestWorld, name: string, as = `${name}-one`): number {
  const id = deployContract(w, as, vectorContract(name));
  w.block();
  return id;
}
