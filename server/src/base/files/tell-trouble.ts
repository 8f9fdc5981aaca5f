/**
 * Says in words why a file or a folder cannot be used, as the end of a sentence: "shop.yaml cannot be read: it does not exist". Any error
 * that has no words here is told in those of the system.
 */
export function tellTrouble(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? message;
}

/** The same for a file that was to be made: if anything is missing then, it is the folder. */
export function tellWriteTrouble(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? 'its folder does not exist'
    : tellTrouble(error);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'this user has no right to it',
  EPERM: 'the system does not allow it to this user',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'this user has used up the quota of the disk',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the machine has too many files open',
  ELOOP: 'its symbolic links lead round in a circle',
  ENAMETOOLONG: 'its name is too long',
  EEXIST: 'it exists already',
  EIO: 'the disk reports an error',
};
