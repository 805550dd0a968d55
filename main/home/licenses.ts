import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type LicensedSoftware, licensedSoftwareSchema } from '../contract/calls/application-calls';
import { fileBesideApp } from '../platform/layout';

/**
 * The software in this package and that its set-up installs; null in a clone, which has no list.
 * @param resources folder of the program
 */
export async function readLicenses(resources: string): Promise<readonly LicensedSoftware[] | null> {
  const file = fileBesideApp(resources, 'licenses.json');
  const text = file === null ? null : await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : z.array(licensedSoftwareSchema).parse(JSON.parse(text));
}
