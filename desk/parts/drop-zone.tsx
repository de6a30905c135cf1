// A place to drop files and folders, or to choose them by keyboard.
import type { ComponentChildren, JSX, TargetedDragEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type FoundFile, chooseImages, listFiles, readDrop } from '../uploads/files';
import { words as w } from '../words';

interface DropZoneProps {
  children: ComponentChildren;
  multiple?: boolean;
  onFiles: (files: FoundFile[]) => void;
}

export function DropZone({ children, multiple = true, onFiles }: DropZoneProps): JSX.Element {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [left, setLeft] = useState('');
  const take = (found: readonly FoundFile[]): void => {
    const chosen = chooseImages(found);
    setLeft((chosen.empty.length ? w.drop.empty(chosen.empty) : '') + (chosen.others.length ? w.drop.others(chosen.others) : ''));
    if (chosen.images.length) {
      onFiles(multiple ? chosen.images : chosen.images.slice(0, 1));
    }
  };
  const drop = async (event: TargetedDragEvent<HTMLElement>): Promise<void> => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) {
      take(await readDrop(event.dataTransfer));
    }
  };
  return (
    <div
      class={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>{children}</p>
      <div class="buttons">
        <FileChoice id={`${id}-files`} label={multiple ? w.drop.files : w.drop.file} multiple={multiple} onFiles={take} />
        {multiple && <FileChoice id={`${id}-folder`} label={w.drop.folder} multiple isFolder onFiles={take} />}
      </div>
      <p role="status" class="note">
        {left}
      </p>
    </div>
  );
}

function FileChoice(props: {
  id: string;
  label: string;
  multiple: boolean;
  isFolder?: boolean;
  onFiles: (files: FoundFile[]) => void;
}): JSX.Element {
  return (
    <span class="file-choice">
      <input
        id={props.id}
        type="file"
        multiple={props.multiple}
        {...(props.isFolder ? { webkitdirectory: true } : {})}
        onChange={(event) => {
          props.onFiles(listFiles(event.currentTarget.files));
          event.currentTarget.value = '';
        }}
      />
      <label class="button" for={props.id}>
        {props.label}
      </label>
    </span>
  );
}
