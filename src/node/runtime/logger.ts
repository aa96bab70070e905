import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { ChainError } from '../../base/errors.js';
import type { Logger, LogValues } from '../../base/world.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogSettings {
  readonly level: LogLevel;
  /** Levels of single modules, as `p2p=debug`. */
  readonly modules: ReadonlyMap<string, LogLevel>;
  readonly format: 'text' | 'json';
  /** Colours in the text format; meant for terminals. */
  readonly colour: boolean;
}

/** Where finished lines go, line end included. */
export interface LogSink {
  write(line: string): void;
}

const pinoLevel = (level: LogLevel): string => (level === 'off' ? 'silent' : level);

/** Where it was thrown says something of a bug; of a refusal that is expected its name and sentence say all. */
function errorText(error: Error): string {
  if (error instanceof ChainError && error.kind !== 'bug') return `${error.key}: ${error.message}`;
  return error.stack ?? String(error);
}

/** Amounts and counters are bigint; no log format has them. */
function plain(values: LogValues): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'bigint') out[name] = value.toString();
    else if (value instanceof Error) out[name] = errorText(value);
    else out[name] = value;
  }
  return out;
}

class PinoLogger implements Logger {
  readonly #pino: Pino;
  readonly #settings: LogSettings;

  constructor(to: Pino, settings: LogSettings) {
    this.#pino = to;
    this.#settings = settings;
  }

  debug(text: string, values?: LogValues): void {
    if (!this.#pino.isLevelEnabled('debug')) return;
    this.#pino.debug(plain(values ?? {}), text);
  }

  info(text: string, values?: LogValues): void {
    if (!this.#pino.isLevelEnabled('info')) return;
    this.#pino.info(plain(values ?? {}), text);
  }

  warn(text: string, values?: LogValues): void {
    this.#pino.warn(plain(values ?? {}), text);
  }

  error(text: string, values?: LogValues): void {
    this.#pino.error(plain(values ?? {}), text);
  }

  child(module: string): Logger {
    const level = this.#settings.modules.get(module) ?? this.#settings.level;
    return new PinoLogger(this.#pino.child({ module }, { level: pinoLevel(level) }), this.#settings);
  }
}

/** One logger for the node; every module takes a child of its name. */
export function createLogger(settings: LogSettings, sink: LogSink): Logger {
  const destination: DestinationStream =
    settings.format === 'json' ? sink : { write: (line: string) => sink.write(textLine(line, settings.colour)) };
  const root = pino(
    {
      level: pinoLevel(settings.level),
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'text',
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return new PinoLogger(root, settings);
}

const COLOURS: Readonly<Record<string, string>> = { debug: '\x1b[32m', warn: '\x1b[33m', error: '\x1b[31m' };
const DIM = '\x1b[2m';
const PLAIN = '\x1b[0m';
const MODULE_WIDTH = 7;
const TEXT_WIDTH = 18;

/** On a terminal, unless its user wants none: https://no-color.org. */
export const isColoured = ({ isTTY }: { readonly isTTY?: boolean }): boolean =>
  isTTY === true && (process.env.NO_COLOR ?? '') === '';

/** A JSON line as an operator likes to read it: time, level, module, text, values. */
export function textLine(line: string, colour: boolean): string {
  const { level, time, module, text, ...values } = JSON.parse(line) as Record<string, unknown>;
  const paint = (start: string | undefined, content: string): string =>
    colour && start !== undefined ? `${start}${content}${PLAIN}` : content;
  const shown = Object.entries(values).map(([name, value]) => `${paint(DIM, `${name}=`)}${showValue(value)}`);
  const label = String(text);
  const parts = [
    paint(DIM, String(time).replace('T', ' ').replace('Z', '')),
    paint(COLOURS[String(level)], String(level).padEnd(5)),
    paint(DIM, String(module ?? 'node').padEnd(MODULE_WIDTH)),
    shown.length > 0 ? label.padEnd(TEXT_WIDTH) : label,
    ...shown,
  ];
  return `${parts.join(' ')}\n`;
}

function showValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Values with spaces in quotes, so that a line can be cut at the spaces; stacks stay as they are.
  return /[\s"=]/.test(text) && !text.includes('\n') ? JSON.stringify(text) : text;
}
