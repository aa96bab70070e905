import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { AnyPart } from '../../plugin/part.js';
import { projectFile } from '../runtime/project.js';

export const PLUGIN_ERRORS = defineErrors({
  plugin_missing: { ...FAMILY.invalidArgument, text: '${path}: there is no such plugin' },
  plugin_shape: {
    ...FAMILY.invalidArgument,
    text: '${path}: a plugin exports by default a part with the name of its folder, needs, a plugin role and open',
  },
});

/** Compiled, as they are installed. */
const PLUGIN_FOLDER = projectFile('dist', 'plugins');

const ENTRY = 'index.js';

function isPlugin(value: unknown, folder: string): value is AnyPart {
  const { name, needs, plugin, open } = (value ?? {}) as Partial<AnyPart>;
  return name === folder && typeof needs === 'object' && typeof plugin === 'object' && typeof open === 'function';
}

/** Every folder with an entry is a plugin; all are known, and those that `--plugins` names are opened. By name. */
export async function loadPlugins(folder: string = PLUGIN_FOLDER): Promise<AnyPart[]> {
  if (!existsSync(folder)) return [];
  const parts: AnyPart[] = [];
  for (const name of readdirSync(folder).sort()) {
    if (existsSync(join(folder, name, ENTRY))) parts.push(await loadPlugin(join(folder, name)));
  }
  return parts;
}

/** Whether it is said where the plugin lies, and not only which one. */
export const isPluginPath = (word: string): boolean => word.includes('/') || word.includes('\\');

/** Plugins in folders of their own, as `--plugins` names them. */
export async function loadPluginFolders(paths: readonly string[]): Promise<AnyPart[]> {
  const parts: AnyPart[] = [];
  for (const path of new Set(paths.map((one) => resolve(one)))) parts.push(await loadPlugin(path));
  return parts;
}

async function loadPlugin(folder: string): Promise<AnyPart> {
  const path = join(folder, ENTRY);
  check(existsSync(path), PLUGIN_ERRORS.plugin_missing, { path });
  const found: unknown = ((await import(pathToFileURL(path).href)) as { default?: unknown }).default;
  check(isPlugin(found, basename(folder)), PLUGIN_ERRORS.plugin_shape, { path });
  return found;
}
