import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Test } from 'tap';
import { LAST_RESORT_MS } from './browser.js';

/** Pages as people meet them: on a phone, a tablet and a desk, in light and dark, and through a checker of accessibility. */

const WIDTHS = [390, 768, 1440] as const;
const HEIGHT = 900;
/** In pixels, as shown: pictures grow and shrink with the page. */
const TEXT_SIZE = { least: 11, most: 18 };
/** Where screenshots go, for whoever wants to look at them. */
const FOLDER = process.env.TRUSTNODE_SCREENSHOTS;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What runs inside the browser uses of it. */
interface Drawn {
  getBoundingClientRect(): { readonly right: number };
}
interface DrawnElement extends Drawn {
  readonly textContent: string;
  readonly parentElement: Drawn;
  getScreenCTM(): { readonly a: number };
}
declare const document: {
  readonly documentElement: { readonly scrollWidth: number };
  querySelectorAll(selector: string): Iterable<DrawnElement>;
};
declare const getComputedStyle: (of: DrawnElement) => { readonly fontSize: string };
declare const axe: {
  run(): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }[];
  }>;
};

export interface Watched {
  readonly page: Page;
  /** Errors of scripts, and what the browser refused to load or to do. */
  readonly complaints: string[];
}

export async function openWatched(browser: Browser, url: string): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: WIDTHS[0], height: HEIGHT }, locale: 'en-GB' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.setDefaultTimeout(LAST_RESORT_MS);
  await page.goto(url);
  return { page, complaints };
}

/** Neither beyond what can be seen nor before it, as a chart that stays narrow on a wide screen. */
async function endsWithItsRoom(t: Test, page: Page, what: string): Promise<void> {
  const cutBy = await page.evaluate(() =>
    [...document.querySelectorAll('.chart')].map(
      (one) => one.getBoundingClientRect().right - one.parentElement.getBoundingClientRect().right,
    ),
  );
  t.ok(
    cutBy.every((pixels) => Math.abs(pixels) < 1),
    what,
    { cutBy },
  );
}

/** It fits every width, and the checker finds nothing, neither in light nor in dark. */
export async function lookAt(t: Test, page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    if (FOLDER !== undefined) {
      mkdirSync(FOLDER, { recursive: true });
      await page.screenshot({ path: join(FOLDER, `${name}-${width}.png`), fullPage: true });
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    t.ok(wide <= width, `${name} fits ${width} pixels`, { wide });
    const drawn = await page.evaluate(() =>
      [...document.querySelectorAll('svg text')].map((one) => ({
        text: one.textContent,
        size: Number.parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a,
      })),
    );
    const unreadable = drawn.filter(({ size }) => size < TEXT_SIZE.least || size > TEXT_SIZE.most);
    t.same(unreadable, [], `texts in pictures of ${name} are neither tiny nor huge at ${width} pixels`);
    await endsWithItsRoom(t, page, `charts of ${name} end where their room does at ${width} pixels`);
  }
  await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT });
  await endsWithItsRoom(t, page, `charts of ${name} show their newest when the window has become narrow`);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    if (FOLDER !== undefined && colorScheme === 'dark') {
      await page.screenshot({ path: join(FOLDER, `${name}-dark.png`), fullPage: true });
    }
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => axe.run());
    const found = violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }));
    t.same(found, [], `${name} in ${colorScheme}`);
  }
}
