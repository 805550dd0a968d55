import { describe, expect, it } from 'vitest';
import {
  chooseInterpreter,
  libraryPackage,
  noInterpreter,
  type PythonFacts,
} from '../../../main/setup/interpreter';

const python = (version: string, change: Partial<PythonFacts> = {}): PythonFacts => ({
  version,
  executable: `/usr/bin/python${version}`,
  sitePackages: '/usr/lib/python3/dist-packages',
  libraryFolder: '/usr/lib',
  hasPip: false,
  ...change,
});

describe('the interpreter of the environments', () => {
  it('is the first one that is supported and has a shared library', () => {
    const seen = [python('3.13'), python('3.11', { libraryFolder: null }), python('3.12'), python('3.10')];
    expect(chooseInterpreter(seen)?.version).toBe('3.12');
    expect(chooseInterpreter([python('3.13')])).toBeNull();
    expect(chooseInterpreter([])).toBeNull();
  });

  it('of the system needs its library as a package, where no other one will do', () => {
    const bare = python('3.11', { libraryFolder: null });
    expect(libraryPackage([bare])).toBe('libpython3.11');
    expect(libraryPackage([bare, python('3.12')])).toBeNull();
    expect(libraryPackage([{ ...bare, executable: '/opt/python3.11' }])).toBeNull();
    expect(libraryPackage([python('3.13', { libraryFolder: null })])).toBeNull();
  });

  it('that is nowhere is told with what was found, what is needed, and that Docker works', () => {
    const error = noInterpreter([python('3.13'), python('3.13')], {
      reason: 'its source on GitHub cannot be reached',
      details: 'dns error',
    });
    expect(error.code).toBe('toolchain-missing');
    expect(error.message).toBe(
      'Python 3.9, 3.10, 3.11 or 3.12 with its shared library is needed (found: Python 3.13), and Python 3.12 could not be downloaded: its source on GitHub cannot be reached',
    );
    expect(error.remedy).toContain('"docker"');
    expect(error.details).toBe('dns error');
  });

  it('that was named and will not do is not replaced by a download', () => {
    expect(noInterpreter([], null).message).toContain('(no Python was found)');
    expect(noInterpreter([python('3.11', { libraryFolder: null })], null).remedy).toContain('libpython3.11');
  });
});
