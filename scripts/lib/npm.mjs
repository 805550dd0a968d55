/** Few and short retries: without a network the answer is to come in seconds. */
export const npmFlags = [
  '--loglevel=error',
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=4000',
];
