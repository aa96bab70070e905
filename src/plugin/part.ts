import type { Metric } from 'prom-client';
import type { Clock, Logger, Random } from '../base/world.js';
import type { OptionTable, OptionValues } from '../config/define.js';
import type { ApiDef } from '../rpc/define.js';
import type { HistorySource } from '../rpc/history-source.js';

/**
 * A node is a list of parts, and a plugin is a part that stands in a folder of its own. docs/plugins.md says how one is
 * written; node/parts/assembly.ts opens and closes them.
 */

/** What one part calls another one by. The type says what it gets; nothing is ever stored in `gives`. */
export interface PartRef<out V> {
  readonly name: string;
  readonly gives?: V;
}

export type Needs = Readonly<Record<string, PartRef<unknown>>>;

/** What stands open for a part: the values of those that it named. */
export type Given<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends PartRef<infer V> ? V : never;
};

export interface PartContext<N extends Needs = Needs, T extends OptionTable = OptionTable> {
  readonly needs: Given<N>;
  /** Values of the part's own options. */
  readonly options: OptionValues<T>;
  /** Where this node keeps everything. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Its lines are logged under the part's name, or under its `logModule`. */
  readonly log: Logger;
  /** Fires when somebody wants the node to stop, also while it starts. */
  readonly signal: AbortSignal;
  /** The node cannot go on: it stops in order, and says which part was the reason. */
  fail(error: unknown): void;
}

/** A part at work. */
export interface OpenPart<V> {
  /** For the parts that need this one. */
  readonly value: V;
  /** Parts close one after the other, the one that was opened last first. */
  close?(): void | Promise<void>;
  /** Why the node is not ready for clients as far as this part knows; undefined when it is. Asked often. */
  health?(): string | undefined;
  /** What the operator has to see to, while clients are served all the same; undefined where there is nothing. */
  warning?(): string | undefined;
  /** Shown at the endpoint for the operator's machines. */
  readonly metrics?: readonly Metric[];
  /** Methods for clients; those of an API that exists are added to it, or take the place of what it had. */
  readonly apis?: readonly ApiDef[];
  /** Objects of the history and counts of operations, for all methods that show such; the first part that has some is asked. */
  readonly history?: HistorySource;
}

/** A part that `--plugins` can leave out. */
export interface PluginRole {
  /** It runs when nobody says which ones are to run. */
  readonly isDefault: boolean;
  /** Options that want it whatever `--plugins` says. */
  isAskedFor?(options: Readonly<Record<string, unknown>>): boolean;
}

export interface PartOptions<T extends OptionTable> {
  /** Heading in the help and in config.ini; parts may share one. */
  readonly title: string;
  readonly table: T;
}

export interface Part<V = unknown, N extends Needs = Needs, T extends OptionTable = OptionTable> extends PartRef<V> {
  /** Parts that are open before this one. One that may be missing is wrapped in `optional`. */
  readonly needs: N;
  readonly options?: PartOptions<T>;
  readonly plugin?: PluginRole;
  /** What the operator reads where it is opened and closed, if that is not its name. */
  readonly title?: string;
  /** For several parts whose lines belong together. */
  readonly logModule?: string;
  open(context: PartContext<N, T>): OpenPart<V> | Promise<OpenPart<V>>;
}

// biome-ignore lint/suspicious/noExplicitAny: parts of all kinds stand in one list; each knows its own types
export type AnyPart = Part<any, any, any>;

export function definePart<V, const N extends Needs, T extends OptionTable = Record<never, never>>(
  part: Part<V, N, T>,
): Part<V, N, T> {
  return part;
}

/** For a part whose definition is out of reach: what it gives is said here, its name leads to it. */
export function partRef<V>(name: string): PartRef<V> {
  return { name };
}

/** Undefined where the operator has left the part out. */
export interface OptionalRef<V> extends PartRef<V | undefined> {
  readonly isOptional: true;
}

export function optional<V>({ name }: PartRef<V>): OptionalRef<V> {
  return { name, isOptional: true };
}
