import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** Lets a card be dragged by its handle to the place of another one of the same group. */
export function useReorder(id: string, group: string, move: (id: string, to: string) => void) {
  const card = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const [edge, setEdge] = useState<'above' | 'below' | null>(null);
  const drop = useEffectEvent((dragged: string) => move(dragged, id));
  useEffect(() => {
    const element = card.current;
    if (element === null || handle.current === null) return undefined;
    return combine(
      draggable({ element, dragHandle: handle.current, getInitialData: () => ({ id, group }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data['group'] === group && source.data['id'] !== id,
        onDragEnter: ({ source }) => {
          const isBefore = source.element.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
          setEdge(isBefore ? 'below' : 'above');
        },
        onDragLeave: () => setEdge(null),
        onDrop: ({ source }) => {
          setEdge(null);
          drop(String(source.data['id']));
        },
      }),
    );
  }, [id, group]);
  return { card, handle, edge };
}
