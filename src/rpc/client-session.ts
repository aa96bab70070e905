import type { Cancel } from '../base/world.js';
import type { Json } from '../codec/json.js';

/** What a method may do with the connection that asks. */
export interface ClientSession {
  readonly closed: boolean;
  login(user: string, password: string): boolean;
  /** Id of an api for this client. */
  apiId(name: string): number;
  /** False over plain HTTP: a notice would have nowhere to go. */
  readonly canNotify: boolean;
  notify(callback: bigint, argument: Json): void;
  /** For notices to many sessions: the argument is printed once. */
  notifyText(callback: bigint, argument: string): void;
  /** The function that comes back takes it out again: a session can live for months. */
  onClose(run: () => void): Cancel;
}
