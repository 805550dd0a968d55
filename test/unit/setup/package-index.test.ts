import { describe, expect, it } from 'vitest';
import { parsePipConfig, pipConfigPaths, uvEnvironment } from '../../../main/setup/package-index';

describe('settings of pip', () => {
  it('are read of the sections that pip reads, with values over several lines', () => {
    const text = `# a company's
[global]
Index_URL = https://user:secret@index.example.com/simple
extra-index-url =
    https://one.example.com/simple
    # not this
    https://two.example.com/simple
[install]
index-url: https://install.example.com/simple
[freeze]
timeout = 10
`;
    expect(Object.fromEntries(parsePipConfig(text))).toEqual({
      'index-url': 'https://install.example.com/simple',
      'extra-index-url': 'https://one.example.com/simple https://two.example.com/simple',
    });
  });

  it('are carried over to uv, the environment over the files and later files over earlier ones', () => {
    const env = { PIP_INDEX_URL: 'https://env.example.com/simple', PIP_FIND_LINKS: '/a /b', HOME: '/h' };
    const configs = [
      parsePipConfig(
        '[global]\ncert = /ca.pem\nproxy = http://proxy:3128\nindex-url = https://file.example.com',
      ),
      parsePipConfig('[global]\ncert = /own.pem\ntrusted-host = a b\nconstraint = /c.txt'),
    ];
    expect(uvEnvironment(env, configs)).toMatchObject({
      UV_DEFAULT_INDEX: 'https://env.example.com/simple',
      UV_FIND_LINKS: '/a,/b',
      UV_INSECURE_HOST: 'a b',
      UV_CONSTRAINT: '/c.txt',
      UV_INDEX_STRATEGY: 'unsafe-best-match',
      SSL_CERT_FILE: '/own.pem',
      HTTPS_PROXY: 'http://proxy:3128',
      HTTP_PROXY: 'http://proxy:3128',
      HOME: '/h',
    });
  });

  it('do not take the place of what is set for uv', () => {
    const env = { UV_DEFAULT_INDEX: 'https://uv', PIP_INDEX_URL: 'https://pip', https_proxy: 'http://own' };
    const made = uvEnvironment(env, [parsePipConfig('[global]\nproxy = http://file')]);
    expect(made['UV_DEFAULT_INDEX']).toBe('https://uv');
    expect(made['HTTPS_PROXY']).toBeUndefined();
    const older = uvEnvironment({ UV_INDEX_URL: 'https://uv', PIP_INDEX_URL: 'https://pip' }, []);
    expect(older['UV_DEFAULT_INDEX']).toBeUndefined();
  });

  it('come without what leads Python elsewhere', () => {
    const made = uvEnvironment(
      { PYTHONPATH: '/x', VIRTUAL_ENV: '/v', CONDA_PREFIX: '/c', UV_PYTHON: '3.13' },
      [],
    );
    for (const name of ['PYTHONPATH', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'UV_PYTHON'])
      expect(made).not.toHaveProperty(name);
  });

  it('come without the variables of uv that change what is installed, where or how', () => {
    const elsewhere = {
      UV_CONFIG_FILE: '/gone/uv.toml',
      UV_LINK_MODE: 'symlink',
      UV_EXCLUDE_NEWER: '2020-01-01',
      UV_TORCH_BACKEND: 'cu128',
      UV_NO_CONFIG: '0',
    };
    const kept = {
      UV_INDEX: 'corp=https://corp.example.com/simple',
      UV_INDEX_CORP_PASSWORD: 'secret',
      UV_PYTHON_INSTALL_MIRROR: 'https://mirror.example.com',
      UV_HTTP_TIMEOUT: '9',
      UV_KEYRING_PROVIDER: 'subprocess',
    };
    const made = uvEnvironment({ ...elsewhere, ...kept }, []);
    expect(made).toMatchObject({ ...kept, UV_NO_CONFIG: '1' });
    for (const name of Object.keys(elsewhere).filter((one) => one !== 'UV_NO_CONFIG'))
      expect(made).not.toHaveProperty(name);
  });

  it('are in the files of the system, the user, the interpreter and PIP_CONFIG_FILE, in this order', () => {
    expect(pipConfigPaths({ HOME: '/h', PIP_CONFIG_FILE: '/own.conf' }, ['/usr'])).toEqual([
      '/etc/xdg/pip/pip.conf',
      '/etc/pip.conf',
      '/h/.pip/pip.conf',
      '/h/.config/pip/pip.conf',
      '/usr/pip.conf',
      '/own.conf',
    ]);
    expect(pipConfigPaths({ HOME: '/h', PIP_CONFIG_FILE: '/dev/null' }, ['/usr'])).toEqual([]);
  });
});
