import { ContractWorld, methods } from './contract-world.js';
import { buildModule, type ModuleSource } from './wasm-builder.js';

export const CONTRACT = 2000;

/** Deploys a module in a world of its own and calls it. */
export function runModule(source: ModuleSource | Uint8Array, instructions?: bigint): ContractWorld {
  const world = new ContractWorld();
  world.deploy(CONTRACT, source instanceof Uint8Array ? source : buildModule(source), methods('run'));
  world.call(CONTRACT, 'run', instructions === undefined ? {} : { instructions });
  return world;
}

/** Console of one call. */
export function consoleOf(source: ModuleSource): string {
  const world = new ContractWorld();
  world.deploy(CONTRACT, buildModule(source), methods('run'));
  return world.call(CONTRACT, 'run').console;
}
