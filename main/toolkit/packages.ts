import { z } from 'zod';
import type { Toolkit } from './toolkit';

const versions = z.looseObject({ packages: z.record(z.string(), z.string()), python: z.string() });

/** Versions of Python and of the packages that results depend on; empty when the toolkit cannot say. Throws cancelled. */
export async function readPackages(
  toolkit: Toolkit,
  signal = new AbortController().signal,
): Promise<Record<string, string>> {
  const silent = () => undefined;
  try {
    const { packages, python } = await toolkit.call({ verb: 'versions', args: [] }, versions, {
      signal,
      log: silent,
      progress: silent,
      fact: silent,
      warning: silent,
      command: () => Promise.resolve(),
    });
    return { python, ...packages };
  } catch (error) {
    if (signal.aborted) throw error;
    return {};
  }
}
