export type DropUse = 'import' | 'checkpoint' | 'dataset';

/** What a dropped thing is taken for: a folder is a data set, a configuration is imported, any other file is weights. */
export function dropUse(name: string, isFolder: boolean): DropUse {
  if (isFolder) return 'dataset';
  return /\.(ya?ml|pbtxt|env|sh)$|^(\.env|environment|config\.pbtxt)/i.test(name) ? 'import' : 'checkpoint';
}
