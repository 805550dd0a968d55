import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environmentSecrets, pipSecrets, withoutCredentials } from '../../../main/setup/index-secrets';
import { parsePipConfig } from '../../../main/setup/package-index';

describe('what is shown of an installation', () => {
  it('has no user and no password of an address', () => {
    expect(withoutCredentials('from https://user:secret@index.example.com/simple and http://b/')).toBe(
      'from https://***@index.example.com/simple and http://b/',
    );
    expect(withoutCredentials('index "https://me:a@b/c:d@host/simple", not me@host')).toBe(
      'index "https://***@host/simple", not me@host',
    );
  });

  it('has no part of a password, whatever is in it', () => {
    const password = fc.stringMatching(/^[A-Za-z0-9@/:]{1,24}$/);
    fc.assert(
      fc.property(password, (secret) => {
        const text = `error at https://me:${secret}@index.example/simple (refused)`;
        expect(withoutCredentials(text)).toBe('error at https://***@index.example/simple (refused)');
      }),
    );
  });

  it('has no known password without its address, as it was written, decoded, encoded', () => {
    const password = fc.stringMatching(/^[A-Za-z0-9@/:]{4,24}$/);
    fc.assert(
      fc.property(password, (secret) => {
        const encoded = encodeURIComponent(secret);
        for (const written of [secret, encoded]) {
          const env = { UV_INDEX: `corp=https://me:${written}@index.example/simple` };
          const text = `at ${secret} ${encoded} end`;
          expect(withoutCredentials(text, environmentSecrets(env))).toMatch(/^at \*\*\* \*\*\* end$/);
        }
      }),
    );
  });
});

describe('the secrets of indexes and proxies', () => {
  it('are passwords, tokens in the path and values of the query, of every address of a list', () => {
    const config = parsePipConfig(`[global]
index-url = https://index.example/aB3dE5fG7hJ9/team/python/simple
extra-index-url =
    https://onlytoken1@one.example/simple
    https://two.example/simple?key=valueofkey
proxy = http://me:proxyword@proxy:3128
timeout = 60
`);
    expect(new Set(pipSecrets([config]))).toEqual(
      new Set(['aB3dE5fG7hJ9', 'onlytoken1', 'valueofkey', 'proxyword']),
    );
  });

  it('are those of the environment too, of the variables that name one', () => {
    const env = {
      UV_FIND_LINKS: 'https://a:linkword@one.example,/local',
      UV_INDEX_CORP_PASSWORD: 'corpword',
      https_proxy: 'http://me:lowword@proxy:3128',
      PIP_INDEX_URL: 'https://index.example/simple',
      OTHER: 'https://me:otherword@host',
    };
    expect(new Set(environmentSecrets(env))).toEqual(new Set(['linkword', 'corpword', 'lowword']));
  });
});
