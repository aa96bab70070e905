/** In a browser there is no system whose curve library could be used. */
export const loadSystemBackend = (): { readonly missing: string } => ({ missing: 'a browser has none' });
