import { storagePart } from '../../src/node/parts/storage.js';
import { type AnyPart, definePart } from '../../src/plugin/part.js';

/** A part that is opened when the test says so, right behind the storage. */
export function slowPart(): { readonly part: AnyPart; readonly reached: Promise<void>; readonly goOn: () => void } {
  let reach = (): void => undefined;
  let goOn = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const part = definePart({
    name: 'a slow part',
    needs: { stored: storagePart },
    async open() {
      reach();
      await told;
      return { value: undefined };
    },
  });
  return { part: part as AnyPart, reached, goOn: () => goOn() };
}
