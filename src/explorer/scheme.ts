import { byId, say } from '../page/dom.js';

/** Dark or light: as the system has it, until somebody says otherwise; kept by this browser. */

const SCHEMES = ['system', 'light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
const KEPT_AS = 'scheme';

/** Where a browser keeps nothing, the choice holds for this visit. */
function kept(): Scheme {
  try {
    const text = localStorage.getItem(KEPT_AS);
    return SCHEMES.find((one) => one === text) ?? 'system';
  } catch {
    return 'system';
  }
}

function keep(scheme: Scheme): void {
  try {
    if (scheme === 'system') localStorage.removeItem(KEPT_AS);
    else localStorage.setItem(KEPT_AS, scheme);
  } catch {
    return;
  }
}

export function schemeButton(): void {
  const button = byId('scheme');
  let scheme = kept();
  const show = (): void => {
    if (scheme === 'system') delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
    button.textContent = `Colours: ${scheme}`;
  };
  show();
  button.addEventListener('click', () => {
    scheme = SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length] as Scheme;
    keep(scheme);
    show();
    say(`Colours: ${scheme}`);
  });
}
