import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Lines that were run, as pairs of first and last one, by path below a folder. */
export type Covered = Readonly<Record<string, readonly (readonly [from: number, to: number])[]>>;

const REPORT = /^coverage-(\d+)-/;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** Where a process that begins says so, see report-start.ts: one that is killed writes no report. */
export const STARTED = 'started-';

/**
 * Reads what Node writes where NODE_V8_COVERAGE says, for every process and thread of a test. Undefined when one of the
 * processes came to no report.
 */
export function coveredLines(reports: string, folder: string): Covered | undefined {
  const prefix = pathToFileURL(join(folder, '/')).href;
  const lines = new Map<string, boolean[]>();
  const names = readdirSync(reports);
  const reported = new Set(names.map((name) => REPORT.exec(name)?.[1]));
  const started = names.filter((name) => name.startsWith(STARTED)).map((name) => name.slice(STARTED.length));
  if (started.length === 0 || started.some((pid) => !reported.has(pid))) return undefined;
  for (const name of names) {
    if (!REPORT.test(name)) continue;
    const { result } = JSON.parse(readFileSync(join(reports, name), 'utf8')) as { result: readonly Script[] };
    for (const script of result) {
      if (!script.url.startsWith(prefix)) continue;
      const file = decodeURIComponent(script.url.slice(prefix.length));
      const seen = lines.get(file) ?? [];
      lines.set(file, seen);
      addLines(seen, readFileSync(fileURLToPath(script.url), 'utf8'), script);
    }
  }
  return Object.fromEntries([...lines].map(([file, seen]) => [file, rangesOf(seen)]));
}

function addLines(seen: boolean[], source: string, { functions }: Script): void {
  const ran = new Uint8Array(source.length);
  // Outer functions and blocks come before those inside of them.
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  let line = 1;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '\n') line++;
    else if (ran[at] === 1 && source[at] !== ' ' && source[at] !== '}') seen[line] = true;
  }
}

function rangesOf(seen: readonly boolean[]): [number, number][] {
  const out: [number, number][] = [];
  for (let line = 1; line < seen.length; line++) {
    const last = out.at(-1);
    if (seen[line] !== true) continue;
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else out.push([line, line]);
  }
  return out;
}

export function covers(covered: Covered, file: string, line: number): boolean {
  return (covered[file] ?? []).some(([from, to]) => from <= line && line <= to);
}
