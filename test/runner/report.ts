import { inspect } from 'node:util';
import type { FileResult } from './run-file.js';

const indented = (text: string, by: number): string => text.trimEnd().replace(/^/gm, ' '.repeat(by));

function diagnosticsText(diagnostics: unknown): string {
  if (diagnostics === null || typeof diagnostics !== 'object') return '';
  return Object.entries(diagnostics)
    .map(([key, value]) => {
      if (typeof value !== 'string') return `${key}: ${inspect(value, { depth: 6, breakLength: 110 })}`;
      return value.includes('\n') ? `${key}:\n${indented(value, 2)}` : `${key}: ${value}`;
    })
    .join('\n');
}

/** A line for a file in which all is well; else everything that helps. */
export function fileText({ name, seconds, cpuSeconds, passed, failures, skips, stderr }: FileResult): string {
  const word = failures.length > 0 ? 'FAIL' : skips.length > 0 ? 'skip' : ' ok ';
  const counts = [`${passed} passed`];
  if (failures.length > 0) counts.push(`${failures.length} failed`);
  if (skips.length > 0) counts.push(`${skips.length} skipped`);
  const cpu = cpuSeconds === undefined ? '-' : cpuSeconds.toFixed(1);
  const times = `${seconds.toFixed(1).padStart(6)} s  ${cpu.padStart(6)} s CPU`;
  const lines = [`${word} ${times}  ${name}  (${counts.join(', ')})`];
  for (const failure of failures) {
    lines.push(indented(failure.name, 6));
    const text = diagnosticsText(failure.diagnostics);
    if (text !== '') lines.push(indented(text, 10));
  }
  if (failures.length > 0 && stderr !== '') lines.push(indented('standard error output:', 6), indented(stderr, 10));
  return `${lines.join('\n')}\n`;
}

const DEAREST_SHOWN = 10;

/** Time of processors, which says more than that of the clock on a machine with other work. */
function cpuText(results: readonly FileResult[]): string {
  const cpuOf = ({ cpuSeconds = 0 }: FileResult): number => cpuSeconds;
  const all = results.reduce((sum, result) => sum + cpuOf(result), 0);
  const dearest = [...results].sort((a, b) => cpuOf(b) - cpuOf(a)).slice(0, DEAREST_SHOWN);
  const named = dearest.map((result) => `${result.name} ${cpuOf(result).toFixed(1)}`);
  return `${Math.round(all)} s of CPU time, most of it for ${named.join(', ')}`;
}

/**
 * The last lines of a run: how much there was, what failed, what failed beside others and not by itself (`unsteady`, the
 * first results), what was skipped and how it would not be.
 */
export function summaryText(results: readonly FileResult[], unsteady: readonly FileResult[], seconds: number): string {
  const sum = (count: (result: FileResult) => number): number => results.reduce((all, one) => all + count(one), 0);
  const lines = [
    '',
    cpuText(results),
    `${results.length} files, ${sum(({ passed }) => passed)} passed, ${sum(({ failures }) => failures.length)} failed, ` +
      `${sum(({ skips }) => skips.length)} skipped, in ${Math.round(seconds)} s`,
  ];
  const failed = results.filter(({ failures }) => failures.length > 0);
  if (failed.length > 0) lines.push('', 'Failed:');
  for (const { name, failures } of failed) for (const one of failures) lines.push(`  ${name}: ${one.name}`);
  if (unsteady.length > 0)
    lines.push('', 'Unsteady tests, to be mended: they failed beside others and passed by themselves:');
  for (const { name, failures } of unsteady) for (const one of failures) lines.push(`  ${name}: ${one.name}`);
  const skipping = results.filter(({ skips }) => skips.length > 0);
  if (skipping.length > 0) lines.push('', 'Skipped, because this machine lacks something:');
  for (const { name, skips } of skipping) {
    for (const skip of skips) lines.push(`  ${name}: ${skip.name}`, `    ${skip.reason || 'no reason given'}`);
  }
  return `${lines.join('\n')}\n`;
}
