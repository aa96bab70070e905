import { resolve } from 'node:path';
import { check, defineErrors, FAMILY } from '../../src/base/errors.js';
import { CHAIN_VIEW, HISTORY_VIEW } from '../../src/plugin/api.js';
import { definePart } from '../../src/plugin/part.js';
import { selectObjects, writeObjects } from './dump.js';
import { snapshotDumpOptions } from './options.js';

export const SNAPSHOT_DUMP_ERRORS = defineErrors({
  dump_without_when: {
    ...FAMILY.invalidArgument,
    text: 'option snapshot-to needs snapshot-at-block or snapshot-at-time',
  },
  dump_without_file: {
    ...FAMILY.invalidArgument,
    text: 'options snapshot-at-block and snapshot-at-time need snapshot-to',
  },
});

/** Writes objects of the state as JSON, behind one block. */
export default definePart({
  name: 'snapshot',
  needs: { chain: CHAIN_VIEW, history: HISTORY_VIEW },
  options: { title: 'Plugins', table: snapshotDumpOptions },
  plugin: { isDefault: false },
  open({ needs: { chain, history }, options, log }) {
    const { 'snapshot-to': to, 'snapshot-at-block': atBlock, 'snapshot-at-time': atTime } = options;
    const isTimed = atBlock !== undefined || atTime !== undefined;
    check(to === undefined || isTimed, SNAPSHOT_DUMP_ERRORS.dump_without_when);
    check(to !== undefined || !isTimed, SNAPSHOT_DUMP_ERRORS.dump_without_file);
    if (to === undefined) return { value: undefined };
    const path = resolve(to);
    const { queries } = chain;
    let time = queries.head.time;
    const isPast =
      queries.head.number >= (atBlock ?? Number.POSITIVE_INFINITY) || time >= (atTime ?? Number.POSITIVE_INFINITY);
    if (isPast) log.warn('the block whose objects were to be written is past', { block: queries.head.number });
    let problem: string | undefined;

    /** The state changes with the next transaction: the block waits until all is written. */
    const write = (block: number): void => {
      try {
        const objects = selectObjects(queries.state, history.current, options['snapshot-objects']);
        const lines = writeObjects(path, objects, queries.state.network);
        problem = undefined;
        log.info('the objects are written', { block, lines, file: path });
      } catch (error) {
        problem = `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
        log.error('objects cannot be written', { block, error: problem });
      }
    };

    const stop = chain.subscribe((event) => {
      if (event.kind === 'undone') time = queries.head.time;
      if (event.kind !== 'applied') return;
      const before = time;
      time = event.block.block.timestamp;
      const isDue = event.block.number === atBlock || (atTime !== undefined && before < atTime && time >= atTime);
      if (isDue) write(event.block.number);
    });
    return {
      value: undefined,
      health: () => problem,
      close: stop,
    };
  },
});
