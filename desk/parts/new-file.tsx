// Another file for an image: for one that is published, or for one whose file was rejected.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { pageAddress } from '../route';
import type { FoundFile } from '../uploads/files';
import { showFiles } from '../uploads/pictures';
import { addUploads } from '../uploads/queue';
import type { Upload } from '../uploads/upload';
import { words as w } from '../words';
import { DropZone } from './drop-zone';

interface NewFileProps {
  image: string;
  /** The key of the master that it becomes; made of the file's extension if it has none yet. */
  masterKey: (extension: string) => string;
  onPublished?: () => void;
  children: ComponentChildren;
}

export function NewFile({ image, masterKey, onPublished, children }: NewFileProps): JSX.Element {
  const [upload, setUpload] = useState<Upload | null>(null);
  const state = upload?.state.value;
  useEffect(() => {
    if (state === 'published') {
      onPublished?.();
    }
  }, [state]);
  const send = ([found]: FoundFile[]): void => {
    if (found) {
      const key = masterKey(/\.[^.]+$/.exec(found.file.name)?.[0] ?? '');
      showFiles([[image, found.file]]);
      setUpload(addUploads([{ file: found.file, key, identifier: image, mayReplace: true }])[0] ?? null);
    }
  };
  return (
    <>
      <DropZone multiple={false} onFiles={send}>
        {children}
      </DropZone>
      <p role="status">
        {upload && state === 'published' && w.image.replaced}
        {upload && state !== 'published' && (
          <a href={pageAddress('uploads')}>{upload.isOver.value ? upload.reason.value : w.image.replacing}</a>
        )}
      </p>
    </>
  );
}
