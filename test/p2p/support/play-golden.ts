import { readdirSync } from 'node:fs';
import type { Test } from 'tap';
import { projectPath } from '../../support/paths.js';
import { differences } from './compare.js';
import { GoldenChain } from './golden-chain.js';
import { CHOICES, type Choice } from './golden-choices.js';
import { type Conversation, type Line, Replay, readLines } from './replay.js';

const FOLDER = projectPath('test', 'vectors', 'p2p', 'golden');

/** Recordings whose names begin with one of the letters. */
export function recordings(letters: string): string[] {
  return readdirSync(FOLDER).filter((name) => new RegExp(`^[${letters}]\\d.*\\.jsonl\\.gz$`).test(name));
}

export const labelOf = (file: string): string => file.split('-')[0] as string;

/** Where nothing is pushed the chain of one recording can serve the next one. */
let shared: GoldenChain | undefined;
const CHANGES_CHAIN = /^[bce]/;

function chainFor(label: string, lines: readonly Line[], { permanent }: Choice): GoldenChain {
  const hello = lines.find(({ direction, name }) => direction === 'from_reference' && name === 'hello')?.decoded;
  const height = (hello?.user_data as { last_known_block_number?: number } | undefined)?.last_known_block_number;
  if (CHANGES_CHAIN.test(label)) return new GoldenChain(height ?? 792, permanent);
  shared ??= new GoldenChain(792);
  return shared;
}

/** One conversation against the machine. */
export function playRecording(t: Test, file: string): void {
  const label = labelOf(file);
  const choice = CHOICES[label] ?? {};
  const lines = readLines(file);
  const chain = chainFor(label, lines, choice);
  const replay = new Replay(file, chain, choice.play ?? {});
  for (const [name, conversation] of replay.run()) compare(t, name, conversation, choice);
  const wanted = choice.head ?? lines.findLast(({ event }) => event === 'reference_head')?.head;
  if (wanted !== undefined) t.equal(chain.view.head.number, wanted, `${label}: head at the end`);
}

function compare(t: Test, name: string, conversation: Conversation, choice: Choice): void {
  const { equal = {}, without = [], dropped = [], endsOtherwise = [] } = choice;
  const keep = ({ name: kind }: { name: string }): boolean => !without.includes(kind);
  const expected = conversation.expected.filter((said, i) => keep(said) && !dropped.includes(i));
  const actual = conversation.actual.filter(keep);
  const isClosed = conversation.closedWith !== undefined;
  const found = differences({ ...conversation, expected, actual }, isClosed, equal[name]);
  t.same(found, [], `what is said to ${name === '' ? 'the client' : name}`);
  if (endsOtherwise.includes(name)) return;
  t.equal(
    isClosed,
    conversation.isEndedByReference,
    `who ends it with ${name}: ${conversation.closedWith ?? 'nobody'}`,
  );
}
