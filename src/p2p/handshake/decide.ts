import type { ChainId } from '../../crypto/digests.js';
import type { PublicKey } from '../../crypto/public-key.js';
import type { ReasonCode } from '../policy/reasons.js';
import { type NodeId, REJECTION } from '../wire/messages.js';
import type { RemoteHello } from './user-data.js';

/** What this node answers to a hello. */
export type Decision =
  | { readonly kind: 'accept' }
  | {
      readonly kind: 'reject';
      readonly code: number;
      readonly text: string;
      /** Then the connection ends at once; without one the peer may still be asked for addresses. */
      readonly close?: ReasonCode;
    };

export interface Question {
  readonly hello: RemoteHello;
  /** Key that the signature belongs to. */
  readonly signer: PublicKey;
  readonly chainId: ChainId;
  readonly ownIdentity: NodeId;
  /** Others that are connected or open a connection. */
  readonly identities: ReadonlySet<NodeId>;
  readonly allowed: readonly NodeId[];
  /** Active and opening connections, this one among them. */
  readonly count: number;
  readonly countMax: number;
  readonly acceptsIncoming: boolean;
}

const reject = (code: number, text: string, close?: ReasonCode): Decision => ({
  kind: 'reject',
  code,
  text,
  ...(close === undefined ? {} : { close }),
});

/** The first thing that is wrong decides. Version and program of the other side are never looked at. */
export function decide(question: Question): Decision {
  const { hello, signer, chainId, identities, allowed } = question;
  const { fields, identity } = hello;
  if (signer !== fields.node_public_key) {
    return reject(REJECTION.invalidHello, 'Invalid signature in hello message', 'hello_signature');
  }
  if (fields.chain_id !== chainId) {
    const text = `You're on a different chain than I am.  I'm on ${chainId} and you're on ${fields.chain_id}`;
    return reject(REJECTION.differentChain, text, 'different_chain');
  }
  if (identity === question.ownIdentity) return reject(REJECTION.connectedToSelf, "I'm connecting to myself");
  if (identities.has(identity)) return reject(REJECTION.alreadyConnected, "I'm already connected to you");
  if (allowed.length > 0 && !allowed.includes(identity)) {
    return reject(REJECTION.blocked, 'you are not in my allowed peers list');
  }
  if (question.count > question.countMax || !question.acceptsIncoming) {
    return reject(REJECTION.notAccepting, 'not accepting any more incoming connections');
  }
  return { kind: 'accept' };
}
