import { spawnSync } from 'node:child_process';

/** Root's own right to open everything is what `setpriv` takes away: the modes of files count for it as for anybody. */
const WITHOUT_ALL_RIGHTS = ['setpriv', '--inh-caps', '-all', '--bounding-set', '-all'];

const isRoot = process.getuid?.() === 0;
const [tool = '', ...words] = WITHOUT_ALL_RIGHTS;

/** For `skip`: false, or what is missing. */
export const hasNoModes: string | false =
  process.getuid === undefined
    ? 'files have no modes here'
    : isRoot && spawnSync(tool, [...words, 'true']).status !== 0
      ? 'root cannot lay down its rights here (util-linux: setpriv)'
      : false;

/** What starts a process for which the modes of files count. */
export const throughModes: readonly string[] = isRoot ? WITHOUT_ALL_RIGHTS : [];
