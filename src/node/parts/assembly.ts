import type { Metric } from 'prom-client';
import { ChainError, check, defineErrors, FAMILY, invariant } from '../../base/errors.js';
import type { OptionTable } from '../../config/define.js';
import type { AnyPart, OpenPart, OptionalRef, PartRef } from '../../plugin/part.js';
import type { ApiDef } from '../../rpc/define.js';
import type { HistorySource } from '../../rpc/history-source.js';
import { ShiftedClock } from '../dev/shifted-clock.js';
import { Shutdown } from '../runtime/shutdown.js';
import { StartStage } from '../runtime/start-stage.js';
import type { Settings } from '../settings/options.js';
import type { World } from '../world.js';
import { DEV_CLOCK, NODE_VIEW, type NodeView, SETTINGS, WORLD } from './given.js';
import { ineffectiveOptions } from './ineffective.js';

export const PART_ERRORS = defineErrors({
  part_need: { ...FAMILY.invalidArgument, text: '${part} needs ${needs}, and no part before it has that name' },
  part_left_out: { ...FAMILY.invalidArgument, text: '${part} needs ${needs}, which the option plugins leaves out' },
  part_repeated: { ...FAMILY.invalidArgument, text: 'two parts have the name ${part}' },
});

const GIVEN: readonly PartRef<unknown>[] = [SETTINGS, WORLD, NODE_VIEW, DEV_CLOCK];

const isOptional = (ref: PartRef<unknown>): boolean => (ref as Partial<OptionalRef<unknown>>).isOptional === true;

const titleOf = ({ name, title }: AnyPart): string => title ?? name;

/** Those that are to run. */
export function wantedParts(parts: readonly AnyPart[], options: Readonly<Record<string, unknown>>): AnyPart[] {
  const named = options.plugins as readonly string[];
  return parts.filter(
    ({ name, plugin }) => plugin === undefined || named.includes(name) || plugin.isAskedFor?.(options) === true,
  );
}

/** Nothing is opened of a list that cannot be opened to its end. */
export function checkParts(parts: readonly AnyPart[], all: readonly AnyPart[] = parts): void {
  const known = new Set(GIVEN.map(({ name }) => name));
  for (const { name, needs } of parts) {
    for (const ref of Object.values<PartRef<unknown>>(needs)) {
      if (known.has(ref.name) || isOptional(ref)) continue;
      const row = all.some((one) => one.name === ref.name && !parts.includes(one)) ? 'part_left_out' : 'part_need';
      check(false, PART_ERRORS[row], { part: name, needs: ref.name });
    }
    check(!known.has(name), PART_ERRORS.part_repeated, { part: name });
    known.add(name);
  }
}

function together(reasons: readonly (string | undefined)[]): string | undefined {
  const given = reasons.filter((reason) => reason !== undefined);
  return given.length === 0 ? undefined : given.join('; ');
}

/** The parts of one node at work. */
export class Assembly implements NodeView {
  readonly #world: World;
  readonly #settings: Settings;
  readonly #shutdown: Shutdown;
  readonly #values: Map<string, unknown>;
  readonly #open: OpenPart<unknown>[] = [];
  readonly stage = new StartStage();
  readonly #takers: ((metric: Metric) => void)[] = [];
  /** Settles when the node cannot go on, with the reason; otherwise never. */
  readonly failed: Promise<unknown>;
  #fail: (error: unknown) => void = () => undefined;

  constructor(settings: Settings, given: World) {
    const devClock = settings.isDev ? new ShiftedClock(given.clock) : undefined;
    const world: World = { ...given, clock: devClock ?? given.clock };
    this.#world = world;
    this.#settings = settings;
    this.#shutdown = new Shutdown(world.clock, world.log.child('node'));
    this.#values = new Map<string, unknown>([
      [SETTINGS.name, settings],
      [WORLD.name, world],
      [NODE_VIEW.name, this],
      [DEV_CLOCK.name, devClock],
    ]);
    this.failed = new Promise<unknown>((resolve) => {
      this.#fail = resolve;
    });
  }

  /** One after the other. False when the signal came in between; whatever happens, `stop` closes what is open. */
  async open(all: readonly AnyPart[], signal: AbortSignal): Promise<boolean> {
    const parts = wantedParts(all, this.#settings.options);
    checkParts(parts, all);
    const log = this.#world.log.child('node');
    for (const part of all.filter((one) => !parts.includes(one))) {
      if (part.plugin?.isDefault === true) log.info('a part is left out (see --plugins)', { part: titleOf(part) });
    }
    for (const { text, values } of ineffectiveOptions(all, parts, this.#settings)) log.warn(text, values);
    for (const part of parts) {
      this.stage.begin(titleOf(part));
      try {
        await this.#openOne(part, signal);
      } catch (error) {
        const { title } = this.stage;
        log.error('a part cannot be opened', { part: title });
        throw error instanceof ChainError ? error.within(`while ${title} was opened`) : error;
      }
      if (signal.aborted) return false;
    }
    return true;
  }

  async #openOne(part: AnyPart, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#world;
    const { name } = part;
    const open = await part.open({
      needs: Object.fromEntries(
        Object.entries<PartRef<unknown>>(part.needs).map(([as, ref]) => [as, this.#values.get(ref.name)]),
      ),
      options: this.#optionsOf(part.options?.table ?? {}),
      dataDir: this.#settings.dataDir,
      clock,
      random,
      log: log.child(part.logModule ?? name),
      signal,
      fail: (error) => {
        log.child('node').error('a part says that the node cannot go on', { part: titleOf(part) });
        this.#fail(error);
      },
    });
    this.#values.set(name, open.value);
    this.#open.push(open);
    if (open.close !== undefined) this.#shutdown.add(titleOf(part), () => open.close?.());
    for (const metric of open.metrics ?? []) for (const take of this.#takers) take(metric);
  }

  #optionsOf(table: OptionTable): Record<string, unknown> {
    const all: Readonly<Record<string, unknown>> = this.#settings.options;
    return Object.fromEntries(Object.keys(table).map((name) => [name, all[name]]));
  }

  /** What a part gives to others. */
  value<V>({ name }: PartRef<V>): V {
    invariant(this.#values.has(name), `the part ${name} is open`);
    return this.#values.get(name) as V;
  }

  notReady(): string | undefined {
    return together(this.#open.map((part) => part.health?.()));
  }

  warning(): string | undefined {
    return together(this.#open.map((part) => part.warning?.()));
  }

  onMetric(take: (metric: Metric) => void): void {
    this.#takers.push(take);
    for (const { metrics } of this.#open) for (const metric of metrics ?? []) take(metric);
  }

  get apis(): readonly ApiDef[] {
    return this.#open.flatMap(({ apis }) => apis ?? []);
  }

  get history(): HistorySource | undefined {
    return this.#open.find(({ history }) => history !== undefined)?.history;
  }

  /** In reverse order; true when everything closed without an error. */
  stop(): Promise<boolean> {
    return this.#shutdown.stop();
  }
}
