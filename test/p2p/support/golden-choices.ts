import type { ReplayOptions } from './replay.js';

/** What is particular to one recording: how it is played, where this node says something else than the reference, and why. */
export interface Choice {
  /** The difference, as a sentence; without one there is none. */
  readonly why?: string;
  /** How many messages of a connection are compared; behind them the conversations go apart. */
  readonly equal?: Readonly<Record<string, number>>;
  /** Kinds of messages that are not compared. */
  readonly without?: readonly string[];
  /** Messages of the reference that this node does not send, by position. */
  readonly dropped?: readonly number[];
  /** Connections that the one ends and the other does not. */
  readonly endsOtherwise?: readonly string[];
  readonly play?: ReplayOptions;
  /** What the reference could not undo with a head, see `GoldenChain`. */
  readonly permanent?: Readonly<Record<number, number>>;
  /** The head at the end, where it is not that of the recording. */
  readonly head?: number;
}

const GATED = 'before a hello nothing is done that belongs behind it';
const LATE_ANSWER =
  'an answer to a request for ids does not wait behind the import of blocks: it stands elsewhere and shows another head';
const CLOSED = 'after closing_connection nothing is answered any more';
const NOT_HERE = 'who asks for something that is not here is told so, and not hung up on';
const STARTING =
  'the reference was starting when it dialed first: its hello has no port, and it turned the other one away';

export const CHOICES: Readonly<Record<string, Choice>> = {
  b1: { why: LATE_ANSWER, without: ['blockchain_item_ids_inventory'] },
  b2: {
    why: 'who has delivered everything is not hung up on while its blocks are imported',
    equal: { D1: 9 },
    endsOtherwise: ['D1'],
  },
  b3: { why: LATE_ANSWER, without: ['blockchain_item_ids_inventory'] },
  b4: {
    why: 'a peer whose list comes while blocks are imported is asked for blocks like the other one',
    play: { busy: { head: 48, untilMs: 65 } },
    permanent: { 48: 37 },
    equal: { A: 6, B: 5 },
    endsOtherwise: ['A', 'B'],
    head: 400,
  },
  b5: { why: LATE_ANSWER, without: ['blockchain_item_ids_inventory'] },
  c3: {
    why: 'what was accepted is not fetched again',
    dropped: [8, 10],
    play: { sendsOnlyWhatIsAskedFor: true },
  },
  c4: { permanent: { 806: 787 } },
  d03: { play: { hasWrongSignature: true } },
  d03b: { play: { hasWrongSignature: true } },
  d03c: { play: { hasWrongSignature: true } },
  d03d: { play: { hasWrongSignature: true } },
  d04b: { why: `connection_accepted came before the hello: ${GATED}`, equal: { '': 1 } },
  d05d: { why: GATED, equal: { A2: 1 }, endsOtherwise: ['A2'] },
  d09c: { why: `connection_accepted came before the hello: ${GATED}`, equal: { '': 1 } },
  d09g: {
    why: 'a connection of which the other side says that it closes it is closed',
    equal: { '': 6 },
    endsOtherwise: [''],
  },
  d09h: { why: 'the recording ends before the last answer', equal: { '': 10 } },
  d10b: { why: GATED, equal: { '': 1 }, endsOtherwise: [''] },
  d15: { why: NOT_HERE, equal: { '': 6 }, endsOtherwise: [''] },
  d15b: { why: NOT_HERE, equal: { '': 6 }, endsOtherwise: [''] },
  d17b: {
    why: 'a block under another id than its own is a forgery: it is not taken, and the connection ends at once',
    equal: { '': 6 },
  },
  d20: { play: { connectionsMax: 1 } },
  d21b: { why: STARTING, equal: { D1: 0 }, play: { listenPort: 22_035 } },
  d21d: { why: 'the hello goes out as soon as there are keys, before anything is heard', equal: { D1: 0 } },
  e1: {
    why: 'how often a bystander is asked again depends on how far the import has come when it answers',
    permanent: { 800: 781 },
    equal: { B: 7 },
  },
  e2: { permanent: { 800: 781 } },
  e5: { why: CLOSED, equal: { '': 7 } },
  e5b: { why: CLOSED, equal: { '': 7 } },
  e5c: {
    why: 'after a switch that failed the ids of the chain are those of the chain, and none of the branch is among them',
    equal: { N: 4 },
  },
};
