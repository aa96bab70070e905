import { readFileSync } from 'node:fs';
import t from 'tap';
import { sqlitePackage } from '../../src/services/common/database.js';
import { projectPath } from '../support/paths.js';

/** Version 12 aborts the process on Node 24, version 13 crashes Node 20: each Node has its own. */

t.test('which build of SQLite a Node loads', (t) => {
  const { optionalDependencies } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  for (const [version, wanted] of [
    ['20.20.2', /^12\./],
    ['22.0.0', /^npm:better-sqlite3@13\./],
    ['24.19.0', /^npm:better-sqlite3@13\./],
    ['100.1.0', /^npm:better-sqlite3@13\./],
  ] as const) {
    t.match(optionalDependencies[sqlitePackage(version)], wanted, version);
  }
  t.end();
});
