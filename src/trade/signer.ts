import type { PrivateKey } from '../crypto/private-key.js';
import type { PublicKey } from '../crypto/public-key.js';
import type { ProxyTransferParams } from '../protocol/proxy-transfer.js';
import { authorize, signText } from './authorization.js';
import { openSealed, sealPacket } from './packets.js';

/** Whoever has the active key of an account: this program itself, or another one that never hands the key out. */
export interface Signer {
  readonly publicKey: PublicKey;
  signText(text: string): Promise<string>;
  authorize(request: Omit<ProxyTransferParams, 'signatures'>): Promise<ProxyTransferParams>;
  seal(other: PublicKey, nonce: string, text: string): Promise<string>;
  /** Texts alone are sold. */
  open(other: PublicKey, nonce: string, sealed: string): Promise<string>;
}

export function keySigner(key: PrivateKey): Signer {
  return {
    publicKey: key.publicKey,
    signText: async (text) => signText(text, key),
    authorize: async (request) => authorize(request, key),
    seal: async (other, nonce, text) => sealPacket(key, other, nonce, text),
    open: async (other, nonce, sealed) => openSealedText(key, other, nonce, sealed),
  };
}

export const openSealedText = (key: PrivateKey, other: PublicKey, nonce: string, sealed: string): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(openSealed(key, other, nonce, sealed));
