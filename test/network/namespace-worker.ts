import { spawn } from 'node:child_process';
import { NamespaceLinks } from './namespaces.js';

/** A network of one node with a program in it, until it is killed. */

const links = new NamespaceLinks(1);
const [command = '', ...words] = links.through(0);
const { pid } = spawn(command, [...words, process.execPath, '-e', 'setInterval(() => undefined, 1e6)'], {
  stdio: 'ignore',
  detached: true,
});
console.log(`${pid}`);
setInterval(() => undefined, 1_000_000);
