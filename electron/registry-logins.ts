import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type RegistryLogin, registryLoginSchema } from '../main/contract/docker';
import { writeFileAtomic } from '../main/platform/files';
import { privateFile } from '../main/platform/private-home';

/** The part of Electron's safeStorage that is used. */
export interface KeyRing {
  isEncryptionAvailable(): boolean;
  /** Linux only: "basic_text" is a password that everybody knows. */
  getSelectedStorageBackend?(): string;
  encryptString(text: string): Buffer;
  decryptString(encrypted: Buffer): string;
}

interface RegistryLogins {
  /** Empty where the key ring cannot open them. */
  read(): Promise<readonly RegistryLogin[]>;
  /** False where it is not kept: one that was is forgotten then. Without a key ring nothing is written. */
  keep(login: RegistryLogin): Promise<boolean>;
}

const keptSchema = z.array(registryLoginSchema);

/** Logins of registries in a file that only the desktop's key ring can open. */
export function createRegistryLogins(path: string, keyRing: KeyRing): RegistryLogins {
  const safe = () =>
    keyRing.isEncryptionAvailable() && keyRing.getSelectedStorageBackend?.() !== 'basic_text';
  const read = async (): Promise<readonly RegistryLogin[]> => {
    if (!safe()) return [];
    try {
      return keptSchema.parse(JSON.parse(keyRing.decryptString(await readFile(path))));
    } catch {
      return [];
    }
  };
  return {
    read,
    async keep(login) {
      if (!safe()) return false;
      const before = await read();
      const others = before.filter((one) => one.registry !== login.registry);
      const keep = login.keep && login.password !== '';
      if (!keep && others.length === before.length) return false;
      const kept = keep ? [...others, login] : others;
      await writeFileAtomic(path, keyRing.encryptString(JSON.stringify(kept)), privateFile);
      return keep;
    },
  };
}
