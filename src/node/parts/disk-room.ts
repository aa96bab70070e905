import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Cancel } from '../../base/world.js';
import { definePart } from '../../plugin/part.js';
import { type FileSystemRoom, roomOf } from '../runtime/disk.js';
import { diskOptions } from '../settings/options.js';
import { WORLD } from './given.js';
import { startingPart } from './starting.js';

export const DISK_ERRORS = defineErrors({
  disk_nearly_full: {
    ...FAMILY.invalidArgument,
    kind: 'environment',
    text: 'only ${free} MB are left where the data directory is, and this node stops below ${reserve} MB, while it can still write its state: ${path}',
    hint: 'make room and start again; nothing is lost. disk-reserve says how much has to be left, 0 that the node goes on until a write fails',
  },
});

const LOOK_MS = 5000;
const MB = 1_000_000;
/** It warns while it has so many times the reserve or less. */
const WARN_TIMES = 5;
/** A small file system, such as one in memory, has the same part of it in reserve. */
const PART_MAX = 1 / 20;

/** Stops the node in order before a write has to fail: half a record is mended at the next start, but a stop in order needs no mending. */
export const diskRoomPart = definePart({
  name: 'disk room',
  needs: { world: WORLD, starting: startingPart },
  options: { title: 'Node', table: diskOptions },
  logModule: 'node',
  async open({ needs: { world }, options, dataDir, clock, log, fail }) {
    const reserveMax = options['disk-reserve'] * MB;
    if (reserveMax === 0) return { value: undefined };
    const readRoom = world.readRoom ?? roomOf;
    const reserveOf = ({ totalBytes }: FileSystemRoom): number => Math.min(reserveMax, totalBytes * PART_MAX);
    const valuesOf = (room: FileSystemRoom) => ({
      free: Math.floor(room.freeBytes / MB),
      reserve: Math.floor(reserveOf(room) / MB),
      path: dataDir,
    });
    const checkRoom = (room: FileSystemRoom): void =>
      check(room.freeBytes >= reserveOf(room), DISK_ERRORS.disk_nearly_full, valuesOf(room));

    let warning: string | undefined;
    const judge = (room: FileSystemRoom): void => {
      const isShort = room.freeBytes < WARN_TIMES * reserveOf(room);
      const values = valuesOf(room);
      if (isShort && warning === undefined) log.warn('the disk is filling up', values);
      if (!isShort && warning !== undefined) log.info('the disk has room again', values);
      warning = isShort ? `${values.free} MB are left on the disk; the node stops at ${values.reserve}` : undefined;
      checkRoom(room);
    };
    let isBlind = false;
    /** That the system does not say how much room there is stops nobody: a write that fails says it as well. */
    const look = async (): Promise<void> => {
      let room: FileSystemRoom;
      try {
        room = await readRoom(dataDir);
      } catch (error) {
        if (!isBlind) log.warn('how much room the disk has cannot be read', { path: dataDir, error });
        isBlind = true;
        return;
      }
      isBlind = false;
      judge(room);
    };
    await look();

    let cancel: Cancel = () => undefined;
    let isClosed = false;
    const lookLater = (): void => {
      cancel = clock.after(LOOK_MS, () => {
        void look().then(
          () => isClosed || lookLater(),
          (error: unknown) => isClosed || fail(error),
        );
      });
    };
    lookLater();
    return {
      value: undefined,
      warning: () => warning,
      close() {
        isClosed = true;
        cancel();
      },
    };
  },
});
