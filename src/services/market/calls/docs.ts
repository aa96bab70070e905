import type { AnswerDoc } from '../../common/endpoint.js';
import { envelopeJson } from '../declared.js';

const content = { 'application/json': envelopeJson };

/** Of a call that answers with the envelope. */
export function answersOf(about: string): Readonly<Record<number, AnswerDoc>> {
  return { 200: { about, content }, 400: { about: 'Refused: code and msg tell why', content } };
}

/** Of JSON. */
export const BODY_BYTES_MAX = 1_048_576;
