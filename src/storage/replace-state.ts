import { crashPoint } from '../base/crash-point.js';
import type { Files } from './files.js';

/**
 * A stored state takes the place of another one. To remove a state takes as long as it is large, and half of one is none: so
 * the former one is set aside, and a kill at any instant leaves the one or the other.
 */

const asideOf = (path: string): string => `${path}.former`;

export function replaceState(files: Files, path: string, by: string): void {
  removeFormerState(files, path);
  if (files.exists(path)) files.rename(path, asideOf(path));
  crashPoint('state_set_aside');
  files.rename(by, path);
  crashPoint('state_replaced');
  removeFormerState(files, path);
}

/** For whoever opens a state: after a kill in between the former one is the state still. */
export function takeBackState(files: Files, path: string): void {
  if (!files.exists(path) && files.exists(asideOf(path))) files.rename(asideOf(path), path);
}

/** For whoever has the lock of the state that took its place. */
export function removeFormerState(files: Files, path: string): void {
  files.remove(asideOf(path));
}
