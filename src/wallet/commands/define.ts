import { ChainError, check } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { Json } from '../../codec/json.js';
import type { Fields, StructValue } from '../../codec/struct.js';
import type { AnyType, Network } from '../../codec/type.js';
import { COMMAND_ERRORS } from '../errors.js';
import type { Wallet } from '../wallet.js';

/**
 * A command of the wallet, written once: its parameters check what is given, and prompt, servers, help and the
 * machine-readable description are made of the same entry.
 */
export interface Command<F extends Fields> {
  /** In order. Clients give arguments by position, so the order never changes. */
  readonly params: F;
  /** Form of the answer, for people who read the help. */
  readonly result: string;
  /** One or two sentences. */
  readonly help: string;
  /** Lines to type, with what they are good for. */
  readonly examples?: readonly string[];
  /** Parameters that are keys or passwords: no log and no history of typed lines keeps them. */
  readonly secret?: readonly (keyof F & string)[];
  /** Changes or sends something: programs that may only look are refused it. */
  readonly acts?: boolean;
  run(wallet: Wallet, args: StructValue<F>): Promise<Json> | Json;
  /** What the prompt shows instead of JSON. */
  show?(wallet: Wallet, result: Json, args: StructValue<F>): Promise<string> | string;
}

// biome-ignore lint/suspicious/noExplicitAny: a command of some parameters; its entry knows which
export type AnyCommand = Command<any>;
export type CommandTable = Readonly<Record<string, AnyCommand>>;

export function command<F extends Fields>(definition: Command<F>): Command<F> {
  return definition;
}

/** `transfer <from:string> <to:string> …` */
function usageOf(definition: AnyCommand): string {
  return Object.entries(definition.params as Fields)
    .map(([name, type]) => `<${name}:${type.name}>`)
    .join(' ');
}

export function findCommand(table: CommandTable, name: string): AnyCommand {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found !== undefined) return found;
  throw new ChainError(COMMAND_ERRORS.command_unknown, { name, nearest: insteadOf(name, table) });
}

/** Not commands of the family's wallet, and the first that people try who want to go. */
const LEAVING = ['quit', 'exit', 'q'];

function insteadOf(name: string, table: CommandTable): string {
  if (LEAVING.includes(name)) return 'Ctrl-D, or Ctrl-C on an empty line, ends the wallet';
  const near = nearest(name, Object.keys(table));
  return near === undefined ? '`help` lists all commands' : `did you mean ${near}?`;
}

/** Arguments by position, in the types of the command. What is too much is ignored, as the family does. */
export function readArguments(
  name: string,
  definition: AnyCommand,
  given: readonly Json[],
  network: Network,
): Record<string, unknown> {
  const params = Object.entries(definition.params as Readonly<Record<string, AnyType>>);
  check(given.length >= params.length, COMMAND_ERRORS.command_arguments, () => ({
    command: name,
    usage: usageOf(definition) || 'nothing',
  }));
  return Object.fromEntries(params.map(([param, type], i) => [param, type.fromJson(given[i] as Json, network)]));
}
