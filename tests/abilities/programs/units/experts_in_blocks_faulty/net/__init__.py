from net.model import build as build
