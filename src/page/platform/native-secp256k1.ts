/** In a browser there is no native curve library; the one in JavaScript computes the same. */
export const loadNativeBackend = (): undefined => undefined;
