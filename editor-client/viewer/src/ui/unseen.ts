/** Every text that the viewer renders goes through here, so that none is forgotten. */

import { options, type ComponentChildren } from 'preact';

import { visible } from '../format.ts';

const before = options.vnode;

options.vnode = (node) => {
  if (typeof node.type === 'string') {
    const props = node.props as { children?: ComponentChildren };
    if (props.children !== undefined) {
      props.children = shown(props.children);
    }
  }
  before?.(node);
};

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') {
    return visible(children);
  }
  return Array.isArray(children) ? children.map(shown) : children;
}
