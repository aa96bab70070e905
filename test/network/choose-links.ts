import { type Links, ProxyLinks } from './links.js';
import { NamespaceLinks, whyNoNamespaces } from './namespaces.js';

/** Namespaces where this machine allows them, else proxies, and why. */
export async function linksForCutting(nodes: number, say: (line: string) => void): Promise<Links> {
  const why = whyNoNamespaces();
  if (why === undefined) return new NamespaceLinks(nodes);
  say(`no network namespaces here (${why}): connections go through proxies, which cut them`);
  return ProxyLinks.open(nodes);
}
