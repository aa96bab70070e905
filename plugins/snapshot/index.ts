import { resolve } from 'node:path';
import { check, defineErrors, FAMILY } from '../../src/base/errors.js';
import { CHAIN_VIEW, HISTORY_VIEW } from '../../src/plugin/api.js';
import { definePart } from '../../src/plugin/part.js';
import { writeImage } from './dump.js';
import { StateImage } from './image.js';
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

const ASKING = ['snapshot-to', 'snapshot-at-block', 'snapshot-at-time'] as const;

/** Writes objects of the state as JSON, as they are behind one block, while the chain goes on. */
export default definePart({
  name: 'snapshot',
  needs: { chain: CHAIN_VIEW, history: HISTORY_VIEW },
  options: { title: 'Plugins', table: snapshotDumpOptions },
  // Whoever says what is to be written wants it written, or hears what is missing.
  plugin: {
    isDefault: false,
    isAskedFor: (options) => ASKING.some((name) => options[name] !== undefined),
  },
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

    let image: StateImage | undefined;
    let writing: Promise<void> = Promise.resolve();

    const write = async (taken: StateImage): Promise<void> => {
      const block = taken.number;
      try {
        if (history.current !== undefined && !taken.hasHistory) {
          log.warn('the objects are written without histories of accounts, which are not there yet', { block });
        }
        const lines = await writeImage(path, taken, queries.state.network);
        problem = undefined;
        log.info('the objects are written', { block, lines, file: path });
      } catch (error) {
        problem = `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
        log.error('objects cannot be written', { block, error: problem });
      } finally {
        if (image === taken) image = undefined;
      }
    };

    const stop = chain.subscribe((event) => {
      image?.follow(event);
      if (event.kind === 'undone') time = queries.head.time;
      if (event.kind !== 'applied') return;
      const before = time;
      time = event.block.block.timestamp;
      const { block } = event;
      const isDue = block.number === atBlock || (atTime !== undefined && before < atTime && time >= atTime);
      if (!isDue) return;
      // An earlier one is of a block that was undone.
      const taken = new StateImage(
        { state: queries.state, history: history.current, block },
        options['snapshot-objects'],
      );
      image = taken;
      writing = writing.then(() => write(taken));
    });
    return {
      value: undefined,
      health: () => problem,
      /** What was asked for is finished. */
      async close() {
        await writing;
        stop();
      },
    };
  },
});
