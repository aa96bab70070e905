import { Gauge } from 'prom-client';
import { VERSION } from './project.js';

/** What runs here, as labels: a dashboard shows which machines have been upgraded. */
export function buildInfo(): Gauge<'version' | 'node'> {
  const info = new Gauge({
    name: 'trustnode_build_info',
    help: 'Always 1; the labels say which version of the program and of Node runs',
    labelNames: ['version', 'node'],
    registers: [],
  });
  info.set({ version: VERSION, node: process.version }, 1);
  return info;
}
