import type { Conversation, Said } from './replay.js';

/**
 * Where this node may differ from the reference in every conversation:
 *
 * - its hello is always the first that it says; the reference sometimes says first that it accepts the other one;
 * - every end says why: a reason is the text of the reference with a code behind it, and stands also where the reference
 *   hangs up without a word;
 * - timers are free, so requests of the time that only keep a silent connection alive may come a little earlier or later;
 * - whether the question is asked if this node can be reached depends on when it was asked last, in earlier connections.
 */
export function differences(
  { expected, actual }: Conversation,
  isEnded: boolean,
  count: number = Number.POSITIVE_INFINITY,
): string[] {
  const [wanted, got] = [inOrder(expected).slice(0, count), inOrder(actual).slice(0, count)];
  const out: string[] = [];
  for (let i = 0; i < Math.max(wanted.length, got.length); i++) {
    const [a, b] = [wanted[i], got[i]];
    const isLastWord = a === undefined && b?.name === 'closing_connection' && isEnded && i === got.length - 1;
    if (isLastWord || (a !== undefined && b !== undefined && isSame(a, b))) continue;
    out.push(`#${i} reference: ${show(a)}`, `#${i} this node: ${show(b)}`);
    if (out.length > 6) break;
  }
  return out;
}

function inOrder(said: readonly Said[]): Said[] {
  let isAsked = false;
  const kept = said.filter(({ name, content }) => {
    if (name === 'check_firewall' && /^0+$/.test(String(content.node_id))) return false;
    if (name !== 'current_time_request') return true;
    const isFirst = !isAsked;
    isAsked = true;
    return isFirst;
  });
  const hello = kept.findIndex(({ name }) => name === 'hello');
  return hello < 0 ? kept : [kept[hello] as Said, ...kept.slice(0, hello), ...kept.slice(hello + 1)];
}

function isSame(a: Said, b: Said): boolean {
  if (a.name !== b.name) return false;
  if (a.name !== 'closing_connection') return JSON.stringify(a.content) === JSON.stringify(b.content);
  const [why, said] = [String(a.content.reason_for_closing), String(b.content.reason_for_closing)];
  return said.startsWith(`${why} (`) && a.content.closing_due_to_error === b.content.closing_due_to_error;
}

const show = (said: Said | undefined): string =>
  said === undefined ? 'nothing' : `${said.name} ${JSON.stringify(said.content)}`.slice(0, 700);
