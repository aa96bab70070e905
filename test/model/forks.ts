/** The moments of the main network, as the texts have them. */
export const MODEL_FORKS = {
  '413': 1446652800,
  '415': 1446652800,
  '419': 1446652800,
  '453': 1450288800,
  '538': 1456250400,
  '563': 1456250400,
  '572': 1456250400,
  '1004': 1524153600,
  '1005': 1524153600,
  '1008': 1541433600,
  '1129': 1545796800,
  '1019': 1553832000,
} as const;
export type ModelFork = keyof typeof MODEL_FORKS;
